# SPDX-License-Identifier: Apache-2.0
# Manual pages of the commands, created from --help by help2man if it is installed. Sanitizer builds have no manual
# pages.
#
# nestrt_add_manual(PROGRAM [COMMAND...]): PROGRAM(1), and PROGRAM-COMMAND(1) of each of its commands. A cross
# build uses the programs of the native build, whose help is the same; without them it has no manual pages.
find_program(HELP2MAN help2man)
mark_as_advanced(HELP2MAN)

function(nestrt_add_manual program)
  if(NOT HELP2MAN OR NESTRT_SANITIZE)
    return()
  endif()
  set(executable $<TARGET_FILE:${program}>)
  set(needed ${program})
  if(CMAKE_CROSSCOMPILING)
    if(NOT NESTRT_HOST_NESTC)
      return()
    endif()
    cmake_path(GET NESTRT_HOST_NESTC PARENT_PATH host_programs)
    set(executable ${host_programs}/${program})
    set(needed)
    if(NOT EXISTS ${executable})
      return()
    endif()
  endif()
  set(make_page ${PROJECT_SOURCE_DIR}/toolchains/cmake/manual-page)
  set(pages)
  foreach(command "" ${ARGN})
    set(page ${PROJECT_BINARY_DIR}/man/${program}.1.gz)
    if(command)
      set(page ${PROJECT_BINARY_DIR}/man/${program}-${command}.1.gz)
    endif()
    add_custom_command(OUTPUT ${page} DEPENDS ${needed} ${make_page} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
      COMMAND ${make_page} ${HELP2MAN} ${PROJECT_VERSION} ${page} ${executable} ${command})
    list(APPEND pages ${page})
  endforeach()
  add_custom_target(${program}_manual ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endfunction()
