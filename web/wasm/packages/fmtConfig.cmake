# fmt for the WebAssembly build, compiled from its headers. The system's include folder must not come into the search path of
# another platform's compiler, so that its headers are reached through a link.
set(fmt_links ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${fmt_links})
foreach(library fmt nlohmann)
  if(NOT EXISTS /usr/include/${library})
    message(FATAL_ERROR "${library}: headers not found (Debian: libfmt-dev, nlohmann-json3-dev)")
  endif()
  file(CREATE_LINK /usr/include/${library} ${fmt_links}/${library} SYMBOLIC)
endforeach()
add_library(saltus_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
target_compile_options(saltus_fmt PRIVATE -Oz)
target_include_directories(saltus_fmt PUBLIC ${fmt_links})
# Without locales, which are a tenth of the module, and without long double: nobody writes any.
target_compile_definitions(saltus_fmt PUBLIC FMT_STATIC_THOUSANDS_SEPARATOR=0x2c FMT_USE_LONG_DOUBLE=0)
add_library(fmt::fmt ALIAS saltus_fmt)
