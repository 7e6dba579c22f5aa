# How the targets of nestrt are made. One object library per folder; libnestrt is their sum.
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
# Debian's FlatBuffers ships no imported shared target for a foreign architecture: name the library itself.
find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h REQUIRED)
find_library(FLATBUFFERS_LIBRARY flatbuffers REQUIRED)
find_program(FLATC flatc REQUIRED)
find_library(SODIUM_LIBRARY sodium REQUIRED)

# What every target of the project is compiled with.
add_library(nestrt_options INTERFACE)
target_compile_features(nestrt_options INTERFACE cxx_std_20)
target_compile_options(nestrt_options INTERFACE -Wall -Wextra
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety$<SEMICOLON>-Werror=thread-safety>)  # nestrt/mutex.h
target_include_directories(nestrt_options INTERFACE ${PROJECT_SOURCE_DIR})
# AVX-512, AVX2 and a portable fallback on x86-64, NEON on aarch64: what kernels/common/simd.h dispatches over, and
# what tests of SIMD headers are compiled for.
target_compile_definitions(nestrt_options INTERFACE
  "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
if(NESTRT_SANITIZE)
  target_compile_options(nestrt_options INTERFACE -fsanitize=${NESTRT_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  # A check at every access doubles the time of the compiler. AddressSanitizer stops at accesses through null and beyond
  # an allocation; calls on null that access nothing, overflows inside an allocation and wrong dynamic types are not found.
  if(NESTRT_SANITIZE MATCHES "undefined")
    target_compile_options(nestrt_options INTERFACE -fno-sanitize=null,vptr,object-size)
  endif()
  target_link_options(nestrt_options INTERFACE -fsanitize=${NESTRT_SANITIZE})
endif()
if(NESTRT_COVERAGE)
  target_compile_options(nestrt_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(nestrt_options INTERFACE -fprofile-instr-generate)
endif()

# Fuzzers are told which code of the libraries they have reached, and what it compared; of their own code they know.
set(NESTRT_LIBRARY_OPTIONS "")
if(NESTRT_BUILD_FUZZERS AND NOT NESTRT_COVERAGE)
  set(NESTRT_LIBRARY_OPTIONS -fsanitize=fuzzer-no-link)
endif()

# What is compiled more often than it runs: commands and tests, whose work is done in the libraries.
if(NESTRT_SANITIZE)
  set(NESTRT_QUICK_TO_COMPILE -O0)
else()
  set(NESTRT_QUICK_TO_COMPILE $<$<CONFIG:Release>:-O1>)
endif()

set(NESTRT_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
set(NESTRT_PARTS "" CACHE INTERNAL "object libraries of libnestrt")
set(NESTRT_PRECOMPILED_PART "" CACHE INTERNAL "the part whose precompiled headers the others share")

# With CMAKE_UNITY_BUILD several sources are one for the compiler, which halves what it has to do. Not so with these:
# sources compiled once for each instruction set, and families of sources that use the same names.
function(nestrt_compile_one_by_one)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Lets ccache see through precompiled headers.
function(nestrt_allow_precompiled target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# nestrt_precompile(TARGET HEADER...): most sources include these, which are parsed once, with the HEADERs.
function(nestrt_precompile target)
  foreach(header nestrt/kernel.h ${ARGN})
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
  endforeach()
  nestrt_allow_precompiled(${target})
endfunction()

# nestrt_share_precompiled(TARGET OTHER): what OTHER has precompiled, for a target with the same compile options.
function(nestrt_share_precompiled target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  nestrt_allow_precompiled(${target})
endfunction()

# nestrt_add_part(NAME LIBRARY...): the sources of the current folder as one part of libnestrt. A part with libraries of
# its own has their definitions, and so precompiled headers of its own.
function(nestrt_add_part name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "_bench\\.cpp$|/plan/encode\\.cpp$|/drivers/null/")
  add_library(nestrt_${name} OBJECT ${sources})
  set_target_properties(nestrt_${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                                                  CXX_VISIBILITY_PRESET default)
  target_link_libraries(nestrt_${name} PRIVATE nestrt_options fmt::fmt ${ARGN})
  target_compile_options(nestrt_${name} PRIVATE ${NESTRT_LIBRARY_OPTIONS})
  target_include_directories(nestrt_${name} PRIVATE ${PROJECT_SOURCE_DIR}/runtime/include)
  if(NOT ARGN AND NESTRT_PRECOMPILED_PART)
    nestrt_share_precompiled(nestrt_${name} ${NESTRT_PRECOMPILED_PART})
  else()
    nestrt_precompile(nestrt_${name})
  endif()
  if(NOT ARGN AND NOT NESTRT_PRECOMPILED_PART)
    set(NESTRT_PRECOMPILED_PART nestrt_${name} CACHE INTERNAL "")
  endif()
  set(NESTRT_PARTS ${NESTRT_PARTS} nestrt_${name} CACHE INTERNAL "")
endfunction()

# libnestrt from its parts, once static and once shared.
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
      $<BUILD_INTERFACE:${SODIUM_LIBRARY}> $<INSTALL_INTERFACE:sodium> spdlog::spdlog fmt::fmt)
    if(NESTRT_SANITIZE)
      target_link_options(${target} PUBLIC -fsanitize=${NESTRT_SANITIZE})
    endif()
  endforeach()
  add_library(nestrt::nestrt ALIAS nestrt_static)
endfunction()
