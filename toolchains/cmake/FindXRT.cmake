# SPDX-License-Identifier: Apache-2.0
# The Xilinx Runtime's native C++ API, as Debian packages it (libxrt-dev, uuid-dev): no CMake package comes with it, and
# xrt.pc names a folder that does not contain the headers.
#   XRT::xrt            the target to link
#   XRT_CORE_LIBRARY    the shim to the kernel driver, which XRT loads by path when it is first used
find_path(XRT_INCLUDE_DIR xrt/xrt_device.h PATHS /opt/xilinx/xrt/include PATH_SUFFIXES xrt)
find_library(XRT_LIBRARY xrt_coreutil PATHS /opt/xilinx/xrt/lib)
find_library(XRT_CORE_LIBRARY xrt_core PATHS /opt/xilinx/xrt/lib)
find_library(XRT_UUID_LIBRARY uuid)
find_path(XRT_UUID_INCLUDE_DIR uuid/uuid.h)
mark_as_advanced(XRT_INCLUDE_DIR XRT_LIBRARY XRT_CORE_LIBRARY XRT_UUID_LIBRARY XRT_UUID_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XRT REQUIRED_VARS XRT_LIBRARY XRT_INCLUDE_DIR XRT_CORE_LIBRARY XRT_UUID_LIBRARY
                                  XRT_UUID_INCLUDE_DIR)
if(XRT_FOUND AND NOT TARGET XRT::xrt)
  find_package(Threads REQUIRED)
  add_library(XRT::xrt UNKNOWN IMPORTED)
  set_target_properties(XRT::xrt PROPERTIES IMPORTED_LOCATION ${XRT_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${XRT_INCLUDE_DIR};${XRT_UUID_INCLUDE_DIR}")
  target_link_libraries(XRT::xrt INTERFACE ${XRT_UUID_LIBRARY} Threads::Threads)
endif()
