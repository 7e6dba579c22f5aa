# SPDX-License-Identifier: Apache-2.0
# Checks the size of the stripped shared library. ctest sets STRIP, LIBRARY, WORK_DIR and MAX_BYTES.
set(stripped ${WORK_DIR}/stripped.so)
execute_process(COMMAND ${STRIP} -o ${stripped} ${LIBRARY} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${stripped} bytes)
if(bytes GREATER MAX_BYTES)
  message(FATAL_ERROR "libnestrt.so has ${bytes} bytes, expected at most ${MAX_BYTES}; see docs/results/size.md")
endif()
message(STATUS "${bytes} bytes")
