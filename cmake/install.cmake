# Installs the library, its headers and the program, and the package that find_package(saltus) reads.
option(SALTUS_INSTALL "Install rules for saltus" ${PROJECT_IS_TOP_LEVEL})
if(NOT SALTUS_INSTALL)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(SALTUS_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/saltus)

install(TARGETS saltus EXPORT saltusTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The public headers are those of saltus.hpp; installed with them is what they include.
function(saltus_collect_headers header list)
  if(header IN_LIST ${list})
    return()
  endif()
  list(APPEND ${list} ${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/${header} lines REGEX "^#include \"saltus/")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" next "${line}")
    saltus_collect_headers(${next} ${list})
  endforeach()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()
saltus_collect_headers(saltus/saltus.hpp SALTUS_PUBLIC_HEADERS)
foreach(header ${SALTUS_PUBLIC_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
if(TARGET saltus_cli)
  install(TARGETS saltus_cli saltus_reproduce OPTIONAL)
endif()

install(EXPORT saltusTargets NAMESPACE saltus:: DESTINATION ${SALTUS_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/saltusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/saltusConfig.cmake INSTALL_DESTINATION ${SALTUS_CMAKE_DIR})
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/saltusConfig.cmake ${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake
  DESTINATION ${SALTUS_CMAKE_DIR})
