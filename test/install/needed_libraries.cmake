# SPDX-License-Identifier: Apache-2.0
# Checks the machine type and the dependencies of the shared library. ctest sets READELF, LIBRARY and MACHINE.
execute_process(COMMAND ${READELF} --file-header --dynamic ${LIBRARY}
  OUTPUT_VARIABLE header COMMAND_ERROR_IS_FATAL ANY)
if(NOT header MATCHES "Machine: +[^\n]*${MACHINE}")
  message(FATAL_ERROR "${LIBRARY} is not for ${MACHINE}:\n${header}")
endif()

string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*" needed "${header}")
if(NOT needed)
  message(FATAL_ERROR "${READELF} lists no library that ${LIBRARY} needs, not even libc:\n${header}")
endif()
foreach(line ${needed})
  string(REGEX REPLACE ".*\\[(.*)\\].*" "\\1" name "${line}")
  if(NOT name MATCHES "^(lib(flatbuffers|sodium|spdlog|fmt|stdc\\+\\+|c|m|gcc_s)|ld-linux-[a-z0-9-]+)\\.so")
    message(FATAL_ERROR "${LIBRARY} needs ${name}; expected only FlatBuffers, libsodium, spdlog, fmt and the compiler's libraries")
  endif()
  message(STATUS "${name}")
endforeach()
