# SPDX-License-Identifier: Apache-2.0
# Debian packages for the architecture of the build: `cpack -G DEB` in the build folder of a preset packages-amd64 or
# packages-arm64 (script/dev/packages builds both). Each component becomes a package: a nestrt_add_package() call below,
# and the install rules of its targets.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nestrt)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The nestrt developers <nestrt@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
else()
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()
# Versions of the libraries come from the binaries; the packages of this build depend on each other by name.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
# Lets packages that link libnestrt derive their dependency on it.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(this_build "libnestrt0 (= ${PROJECT_VERSION})")

# Debian requires a description, a copyright file and a changelog in each package.
configure_file(${PROJECT_SOURCE_DIR}/toolchains/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
execute_process(COMMAND gzip -9nf changelog WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/debian COMMAND_ERROR_IS_FATAL ANY)

# nestrt_add_package(COMPONENT PACKAGE SECTION DESCRIPTION [DEPENDENCY]): the project's description precedes
# DESCRIPTION.
function(nestrt_add_package component package section description)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${ARGN}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/toolchains/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endfunction()

set(CPACK_COMPONENTS_ALL "")
nestrt_add_package(library libnestrt0 libs
  "The shared library: it runs networks that nestc has compiled, on ARM and\nx86-64 CPUs and on the NPUs of FPGA boards.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/toolchains/debian/triggers)
nestrt_add_package(development libnestrt-dev libdevel
  "Headers, the static library, and what CMake and pkg-config need to find them."
  "${this_build}, libflatbuffers-dev, libspdlog-dev, libfmt-dev, libsodium-dev")
if(TARGET nestc)
  set(commands "The commands: nestrt runs plans, nestc compiles ONNX networks to plans,\nevta-replay runs vectors of an accelerator.")
else()
  set(commands "The commands: nestrt runs plans, evta-replay runs vectors of an\naccelerator. This build has no nestc, which compiles plans.")
endif()
nestrt_add_package(tools nestrt-tools utils
  "${commands}\nDescriptions of boards and costs are in /usr/share/nestrt.")
if(TARGET nestrt_xrt)
  nestrt_add_package(xrt nestrt-xrt libs
    "A component that libnestrt loads where EVTA is a kernel of Xilinx's runtime." "${this_build}")
endif()
include(CPack)
