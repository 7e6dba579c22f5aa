# SPDX-License-Identifier: Apache-2.0
# The targets of nestrt: one object library per folder; libnestrt combines them.
include(GNUInstallDirs)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

find_program(CCACHE ccache)
if(CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
set(NESTRT_FMT fmt::fmt)
set(NESTRT_SPDLOG spdlog::spdlog)
# Links static archives only. Debian has none of fmt and spdlog, but their headers are complete.
if(NESTRT_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  add_link_options(-static)
  set(NESTRT_FMT fmt::fmt-header-only)
  set(NESTRT_SPDLOG spdlog::spdlog_header_only)
  set_target_properties(spdlog::spdlog_header_only PROPERTIES INTERFACE_LINK_LIBRARIES fmt::fmt-header-only)
endif()
# Debian's FlatBuffers ships no imported shared target for a foreign architecture: find the library directly.
find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h REQUIRED)
find_library(FLATBUFFERS_LIBRARY flatbuffers REQUIRED)
find_program(FLATC flatc REQUIRED)
find_library(SODIUM_LIBRARY sodium REQUIRED)

# Compile options of every target.
add_library(nestrt_options INTERFACE)
target_compile_features(nestrt_options INTERFACE cxx_std_20)
target_compile_options(nestrt_options INTERFACE -Wall -Wextra
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety$<SEMICOLON>-Werror=thread-safety>)  # nestrt/driver/mutex.h
target_include_directories(nestrt_options INTERFACE ${PROJECT_SOURCE_DIR})
# AVX-512, AVX2 and a portable fallback on x86-64, NEON on aarch64: the targets that kernels/common/simd/simd.h
# dispatches over and that tests of SIMD headers are compiled for.
target_compile_definitions(nestrt_options INTERFACE
  "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)"
  # Only Highway's headers are used; its assertions, on by default with sanitizers, would require its library.
  HWY_IS_DEBUG_BUILD=0)
if(NESTRT_SANITIZE)
  target_compile_options(nestrt_options INTERFACE -fsanitize=${NESTRT_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  # A check at every access doubles compile time. AddressSanitizer still detects accesses through null and beyond an
  # allocation, but not calls on null that access nothing, overflows inside an allocation, or wrong dynamic types.
  if(NESTRT_SANITIZE MATCHES "undefined")
    target_compile_options(nestrt_options INTERFACE -fno-sanitize=null,vptr,object-size)
  endif()
  target_link_options(nestrt_options INTERFACE -fsanitize=${NESTRT_SANITIZE})
endif()
# Statically linked programs with instrumented code link several times faster with lld.
if(NESTRT_SANITIZE OR NESTRT_COVERAGE)
  find_program(LLD ld.lld)
  mark_as_advanced(LLD)
  if(LLD)
    target_link_options(nestrt_options INTERFACE -fuse-ld=lld)
  endif()
endif()
if(NESTRT_COVERAGE)
  target_compile_options(nestrt_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(nestrt_options INTERFACE -fprofile-instr-generate)
endif()

# Instruments the libraries, so that fuzzers see the code they reach and its comparisons.
set(NESTRT_LIBRARY_OPTIONS "")
if(NESTRT_BUILD_FUZZERS AND NOT NESTRT_COVERAGE)
  set(NESTRT_LIBRARY_OPTIONS -fsanitize=fuzzer-no-link)
endif()

# For code that takes longer to compile than to run: address checks are calls instead of inline code.
set(NESTRT_CALLS_OF_SANITIZER "")
if(NESTRT_SANITIZE MATCHES "address")
  set(NESTRT_CALLS_OF_SANITIZER -mllvm -asan-instrumentation-with-call-threshold=0)
endif()

# For commands and tests, which are compiled more often than they run; the libraries do the work.
if(NESTRT_SANITIZE)
  set(NESTRT_QUICK_TO_COMPILE -O0)
else()
  set(NESTRT_QUICK_TO_COMPILE $<$<CONFIG:Release>:-O1>)
endif()

# For parts of libnestrt that run once per plan or per run instead of per element; -O3 makes them 50 % larger.
set(NESTRT_SMALL $<$<CONFIG:Release>:-Os> ${NESTRT_CALLS_OF_SANITIZER})

set(NESTRT_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
set(NESTRT_PARTS "" CACHE INTERNAL "object libraries of libnestrt")

# CMAKE_UNITY_BUILD combines sources, which halves the compile time. It is not possible for these:
# sources compiled once for each instruction set, and families of sources that use the same names.
function(nestrt_compile_one_by_one)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# For sources that process every byte of their data. They cannot use the precompiled headers of other sources.
function(nestrt_compile_for_speed)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Makes ccache work with precompiled headers.
function(nestrt_allow_precompiled target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# nestrt_precompile(TARGET HEADER...): precompiles the headers that most sources include, and the HEADERs.
function(nestrt_precompile target)
  foreach(header runtime/kernel/kernel.h ${ARGN})
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
  endforeach()
  nestrt_allow_precompiled(${target})
endfunction()

# nestrt_share_precompiled(TARGET OTHER): reuses the precompiled headers of OTHER; compile options must be equal.
function(nestrt_share_precompiled target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  nestrt_allow_precompiled(${target})
endfunction()

# nestrt_add_objects(NAME SOURCES LIBRARY...): objects of libnestrt. Each function has its own section, so that the linker
# drops unused ones.
function(nestrt_add_objects name sources)
  add_library(nestrt_${name} OBJECT ${sources})
  set_target_properties(nestrt_${name} PROPERTIES CXX_EXTENSIONS OFF)
  # Clang would also hide the public functions: it gives a definition the visibility of the enclosing namespace block.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_target_properties(nestrt_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  target_link_libraries(nestrt_${name} PRIVATE nestrt_options ${NESTRT_FMT} ${ARGN})
  target_compile_options(nestrt_${name} PRIVATE -ffunction-sections -fdata-sections ${NESTRT_LIBRARY_OPTIONS})
  # Unwinding uses tables. Frame pointers, which compilers keep on aarch64, would only add code and table entries.
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    target_compile_options(nestrt_${name} PRIVATE $<$<CONFIG:Release>:-fomit-frame-pointer>)
  endif()
  target_include_directories(nestrt_${name} PRIVATE ${PROJECT_SOURCE_DIR}/runtime/include)
  nestrt_precompile(nestrt_${name})
  set(NESTRT_PARTS ${NESTRT_PARTS} nestrt_${name} CACHE INTERNAL "")
endfunction()

# nestrt_add_part(NAME LIBRARY...): the sources of the current folder as one part of libnestrt.
function(nestrt_add_part name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "_bench\\.cpp$|/plan/format/encode\\.cpp$|/drivers/(null|queue|vendor)/|/drivers/evta/(simulator|cycles|board|debug|uio|xrt)/")
  nestrt_add_objects(${name} "${sources}" ${ARGN})
endfunction()

# nestrt_add_component(NAME SOURCE LIBRARY...): libnestrt_NAME.so, which libnestrt loads (drivers/component.h).
# It contains the code of libnestrt that it needs, because programs that link libnestrt statically export nothing.
function(nestrt_add_component name source)
  if(NESTRT_STATIC)
    return()  # nothing is loaded
  endif()
  add_library(nestrt_${name} MODULE ${source})
  set_target_properties(nestrt_${name} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                                                  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/nestrt)
  target_link_libraries(nestrt_${name} PRIVATE nestrt_options ${NESTRT_FMT} ${ARGN})
  set(exports ${PROJECT_SOURCE_DIR}/toolchains/cmake/component.map)
  target_link_options(nestrt_${name} PRIVATE LINKER:--version-script=${exports} LINKER:--gc-sections)
  set_property(TARGET nestrt_${name} APPEND PROPERTY LINK_DEPENDS ${exports})
  target_compile_definitions(nestrt_${name} PRIVATE NESTRT_VERSION="${PROJECT_VERSION}")
endfunction()

# Hides all symbols except the listed exports. Hidden visibility does not cover instantiations of other libraries'
# templates or nestrt's own weak symbols.
function(nestrt_export_public_symbols target)
  set(exports ${PROJECT_BINARY_DIR}/nestrt.map)
  configure_file(${PROJECT_SOURCE_DIR}/toolchains/cmake/nestrt.map.in ${exports} @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports} LINKER:--gc-sections)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
endfunction()

# Builds libnestrt from its parts as a static and as a shared library.
function(nestrt_add_library)
  set(objects "")
  foreach(part ${NESTRT_PARTS})
    list(APPEND objects $<TARGET_OBJECTS:${part}>)
  endforeach()
  foreach(kind STATIC SHARED)
    string(TOLOWER nestrt_${kind} target)
    add_library(${target} ${kind} ${objects})
    add_library(nestrt::${target} ALIAS ${target})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME nestrt VERSION ${PROJECT_VERSION} SOVERSION 0)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/drivers/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} PUBLIC Threads::Threads PRIVATE
      $<BUILD_INTERFACE:${FLATBUFFERS_LIBRARY}> $<INSTALL_INTERFACE:flatbuffers>
      $<BUILD_INTERFACE:${SODIUM_LIBRARY}> $<INSTALL_INTERFACE:sodium> ${NESTRT_SPDLOG} ${NESTRT_FMT} ${CMAKE_DL_LIBS})
    if(NESTRT_SANITIZE)
      target_link_options(${target} PUBLIC -fsanitize=${NESTRT_SANITIZE})
    endif()
  endforeach()
  nestrt_export_public_symbols(nestrt_shared)
  if(NESTRT_STATIC)
    target_link_libraries(nestrt_static PUBLIC nestrt_simulator nestrt_evta_uio)
    set_target_properties(nestrt_shared PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  add_library(nestrt::nestrt ALIAS nestrt_static)
endfunction()
