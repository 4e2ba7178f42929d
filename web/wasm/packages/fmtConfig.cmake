# fmt as headers only, for the WebAssembly build. The system's include folder must not come into the search path of
# another platform's compiler, so that its headers are reached through a link.
set(fmt_links ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${fmt_links})
foreach(library fmt nlohmann)
  if(NOT EXISTS /usr/include/${library})
    message(FATAL_ERROR "${library}: headers not found (Debian: libfmt-dev, nlohmann-json3-dev)")
  endif()
  file(CREATE_LINK /usr/include/${library} ${fmt_links}/${library} SYMBOLIC)
endforeach()
add_library(fmt::fmt INTERFACE IMPORTED)
set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY
  INTERFACE_INCLUDE_DIRECTORIES ${fmt_links})
