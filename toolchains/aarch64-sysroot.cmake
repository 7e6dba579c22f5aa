# SPDX-License-Identifier: Apache-2.0
# For the sysroot of a board's SDK, such as Yocto's or PetaLinux's, whose environment script sets SDKTARGETSYSROOT, CC
# and CXX. The build machine provides only programs. Without such a script, set CMAKE_SYSROOT; the compiler is then
# Debian's cross compiler.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
if(DEFINED ENV{SDKTARGETSYSROOT})
  set(CMAKE_SYSROOT $ENV{SDKTARGETSYSROOT})
endif()
if(NOT DEFINED ENV{CXX})
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
  set(CMAKE_C_FLAGS_INIT "-march=armv8-a -mtune=cortex-a53")
  set(CMAKE_CXX_FLAGS_INIT "-march=armv8-a -mtune=cortex-a53")
endif()
# Try-compiles are separate projects, which also need the variable.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_SYSROOT)
if(EXISTS ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu)
  set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)  # a sysroot made of Debian's packages
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
