# SPDX-License-Identifier: Apache-2.0
# Run by ctest with STRIP, LIBRARY, WORK_DIR, MAX_BYTES: the shared library is small without its debugging symbols.
set(stripped ${WORK_DIR}/stripped.so)
execute_process(COMMAND ${STRIP} -o ${stripped} ${LIBRARY} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${stripped} bytes)
if(bytes GREATER MAX_BYTES)
  message(FATAL_ERROR "libnestrt.so takes ${bytes} bytes, more than ${MAX_BYTES}: see docs/results/size.md")
endif()
message(STATUS "${bytes} bytes")
