# SPDX-License-Identifier: Apache-2.0
# Installation rules in three components: library, development, and tools (the default of the commands' install rules).
include(CMakePackageConfigHelpers)

# Board files that the commands find by name, recipes for their logic, and set-up examples (docs/how-to/uio.md).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/boards/recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/nestrt/boards COMPONENT tools
  USE_SOURCE_PERMISSIONS)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/boards DESTINATION ${CMAKE_INSTALL_DATADIR}/nestrt COMPONENT tools
  FILES_MATCHING PATTERN "*.yaml" PATTERN "*.costs" PATTERN "*.dtso" PATTERN "*.dtsi" PATTERN "*.rules" PATTERN "*.service")
if(NESTRT_STATIC)
  return()  # only the commands exist
endif()

install(TARGETS nestrt_shared EXPORT nestrtTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS nestrt_static EXPORT nestrtTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/nestrt ${PROJECT_SOURCE_DIR}/drivers/include/nestrt
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")

# Components that libnestrt loads (drivers/component.h).
install(TARGETS nestrt_sim nestrt_uio nestrt_vendor nestrt_plugin COMPONENT tools
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/nestrt RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/nestrt)
if(TARGET nestrt_xrt)
  install(TARGETS nestrt_xrt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/nestrt COMPONENT xrt)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nestrt)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/nestrtConfig.cmake.in
  ${PROJECT_BINARY_DIR}/nestrtConfig.cmake INSTALL_DESTINATION ${package_dir})
# Until 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nestrtConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nestrtConfig.cmake ${PROJECT_BINARY_DIR}/nestrtConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
install(EXPORT nestrtTargets NAMESPACE nestrt:: DESTINATION ${package_dir} COMPONENT development)

file(RELATIVE_PATH NESTRT_INCLUDEDIR_FROM_PKGCONFIG
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/nestrt.pc.in ${PROJECT_BINARY_DIR}/nestrt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nestrt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
