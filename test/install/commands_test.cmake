# SPDX-License-Identifier: Apache-2.0
# Tests nestc and nestrt from an installed prefix outside the source tree. ctest sets BUILD_DIR, SOURCE_DIR, WORK_DIR.
set(prefix ${WORK_DIR}/commands)
file(REMOVE_RECURSE ${prefix})
set(model ${SOURCE_DIR}/examples/models/nest_squeeze_cifar10.onnx)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${prefix} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${prefix})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --component tools)
# The prefix needs its own copy of the boards; programs in the build folder use those of the source tree.
foreach(board boards/zcu102.yaml boards/profiles/zcu102.costs boards/uio/evta.dtso boards/recipes/zcu102/build)
  if(NOT EXISTS ${prefix}/share/nestrt/${board})
    message(FATAL_ERROR "share/nestrt/${board} is not installed")
  endif()
endforeach()
run(${prefix}/bin/nestc compile ${model} -o model.nest --target zcu102 --mean 128 --scale 0.015625 --quantize s8
    --calibrate ${SOURCE_DIR}/examples/images)
run(${prefix}/bin/nestrt run model.nest --image ${SOURCE_DIR}/examples/images/cat.png
    --labels ${SOURCE_DIR}/examples/images/labels.txt --top 1)
if(NOT output MATCHES "cat")
  message(FATAL_ERROR "expected a cat, got: ${output}")
endif()
# libnestrt loads the installed vendor component and starts the installed nestrt-plugin for isolation.
set(vendor ${BUILD_DIR}/examples/vendor)
run(${prefix}/bin/nestc compile ${model} -o vendor.nest --vendor "reference=${vendor}/reference-cc {input} -o {output}")
run(${prefix}/bin/nestrt conformance vendor.nest --units reference --plugin ${vendor}/libreference.so --isolate)
if(NOT output MATCHES "9 of 9 cases passed")
  message(FATAL_ERROR "expected an isolated plug-in that works, got: ${output}")
endif()
# The preprocessed image, saved and used as input, has the same class.
run(${prefix}/bin/nestrt run model.nest --image ${SOURCE_DIR}/examples/images/cat.png --save-input cat.npy)
run(${prefix}/bin/nestrt run model.nest --input cat.npy --labels ${SOURCE_DIR}/examples/images/labels.txt --top 1)
if(NOT output MATCHES "cat")
  message(FATAL_ERROR "expected a cat, got: ${output}")
endif()
run(${prefix}/bin/nestc explain model.nest)
if(NOT output MATCHES "evta 1x16_15_15_18_17: [0-9]+ of [0-9]+ operators that compute")
  message(FATAL_ERROR "expected the operators that EVTA computes, got: ${output}")
endif()
