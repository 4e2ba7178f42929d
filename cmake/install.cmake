# Installs the library, its headers and the program, and the package that find_package(saltus) reads.
option(SALTUS_INSTALL "Install rules for saltus" ${PROJECT_IS_TOP_LEVEL})
if(NOT SALTUS_INSTALL)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(SALTUS_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/saltus)

install(TARGETS saltus EXPORT saltusTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/saltus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN cli EXCLUDE PATTERN reproduce EXCLUDE)
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
