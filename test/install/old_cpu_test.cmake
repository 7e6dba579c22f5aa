# SPDX-License-Identifier: Apache-2.0
# Checks that an image gets the same class on an emulated Nehalem as on this machine. ctest sets NESTC, NESTRT, QEMU,
# SOURCE_DIR and WORK_DIR.
set(plan ${WORK_DIR}/old_cpu.nest)
set(images ${SOURCE_DIR}/examples/images)
execute_process(COMMAND ${NESTC} compile ${SOURCE_DIR}/examples/models/nest_squeeze_cifar10.onnx -o ${plan}
  --mean 128 --scale 0.015625 --quantize s8 --calibrate ${images} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
set(arguments run ${plan} --image ${images}/cat.png --labels ${images}/labels.txt --top 3)
execute_process(COMMAND ${NESTRT} ${arguments} OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${QEMU} -cpu Nehalem ${NESTRT} ${arguments} OUTPUT_VARIABLE actual COMMAND_ERROR_IS_FATAL ANY)
if(NOT actual STREQUAL expected)
  message(FATAL_ERROR "expected\n${expected}got\n${actual}")
endif()
