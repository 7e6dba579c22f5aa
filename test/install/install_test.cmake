# SPDX-License-Identifier: Apache-2.0
# Builds and runs a consumer of an installed nestrt.
# ctest sets BUILD_DIR, SOURCE_DIR, WORK_DIR, PLAN, LIBDIR, GENERATOR, CC and CXX.
set(prefix ${WORK_DIR}/prefix)
set(consumer ${WORK_DIR}/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component library development)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --component ${component})
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/consumer -B ${consumer} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${consumer})
# A project in C, in which fmt and spdlog cannot be found.
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/consumer_c -B ${consumer}/c -G ${GENERATOR}
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON
    -DCMAKE_DISABLE_FIND_PACKAGE_spdlog=ON)
run(${CMAKE_COMMAND} --build ${consumer}/c)
run(${consumer}/consumer_of_nestrt ${PLAN})
run(${consumer}/consumer_of_nestrt_shared ${PLAN})

# The first inference gives the same scores in C and in C++.
execute_process(COMMAND ${consumer}/c/first_inference_c ${PLAN} OUTPUT_VARIABLE scores_c COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${consumer}/first_inference_cpp ${PLAN} OUTPUT_VARIABLE scores_cpp COMMAND_ERROR_IS_FATAL ANY)
if(NOT scores_c OR NOT scores_c STREQUAL scores_cpp)
  message(FATAL_ERROR "expected equal scores, got in C: ${scores_c} in C++: ${scores_cpp}")
endif()

# The installed headers are the public ones, and nestrt/session.h includes few of them.
file(GLOB_RECURSE installed RELATIVE ${prefix}/include ${prefix}/include/*.h)
list(SORT installed)
file(STRINGS ${SOURCE_DIR}/test/install/public_headers.txt expected REGEX "^[^#]")
list(SORT expected)
if(NOT installed STREQUAL expected)
  message(FATAL_ERROR "installed headers: ${installed}; expected those of test/install/public_headers.txt: ${expected}")
endif()
foreach(header ${installed})
  file(WRITE ${consumer}/header.cpp "#include <${header}>\n#include <${header}>\n")
  run(${CXX} -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I${prefix}/include ${consumer}/header.cpp)
endforeach()
execute_process(COMMAND ${CXX} -std=c++20 -M -I${prefix}/include -x c++ ${prefix}/include/nestrt/session.h
  OUTPUT_VARIABLE included COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "/include/nestrt/[a-z_/]*\\.h" included "${included}")
list(REMOVE_DUPLICATES included)
list(LENGTH included count)
if(count GREATER 12)
  message(FATAL_ERROR "nestrt/session.h includes ${count} headers of nestrt, expected at most 12: ${included}")
endif()
message(STATUS "nestrt/session.h includes ${count} headers of nestrt")

# pkg-config works without CMake.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs nestrt
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CXX} -std=c++20 ${SOURCE_DIR}/examples/consumer/main.cpp -o ${consumer}/by_pkg_config ${flags}
      -Wl,-rpath,${prefix}/${LIBDIR})
  run(${consumer}/by_pkg_config ${PLAN})
endif()
