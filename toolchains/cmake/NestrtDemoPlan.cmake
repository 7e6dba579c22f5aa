# SPDX-License-Identifier: Apache-2.0
# Compiles the demo's network, for tests that need a real plan: a ctest fixture that runs nestc in the build folder.
#   NESTRT_DEMO_PLAN   the file; empty if nestc is not available, which omits these tests
# Tests that need it set FIXTURES_REQUIRED demo_plan.
set(NESTRT_HOST_NESTC "" CACHE FILEPATH "nestc of the machine that builds, for builds without one")

set(NESTRT_DEMO_PLAN ${PROJECT_BINARY_DIR}/nest_squeeze.nest)
if(TARGET nestc)
  set(nestc nestc)
elseif(EXISTS "${NESTRT_HOST_NESTC}")
  set(nestc ${NESTRT_HOST_NESTC})
else()
  set(NESTRT_DEMO_PLAN "")
  return()
endif()

add_test(NAME "demo: nestc compiles the network"
  COMMAND ${nestc} compile ${PROJECT_SOURCE_DIR}/examples/models/nest_squeeze_cifar10.onnx -o ${NESTRT_DEMO_PLAN}
          --mean 128,128,128 --scale 0.015625 --resize 32)
set_tests_properties("demo: nestc compiles the network" PROPERTIES FIXTURES_SETUP demo_plan TIMEOUT 300)
