# SPDX-License-Identifier: Apache-2.0
# Checks that the files that the tests of bench and info wrote to WORK contain these keys.
set(bench_keys threads run_ms median_ms p90_ms p99_ms min_ms first_ms load_ms peak_rss_mb arena_bytes operators)
set(info_keys digest targets weight_bytes arena_bytes inputs outputs operators)
foreach(command bench info)
  file(READ ${WORK}/${command}.json text)
  foreach(key ${${command}_keys})
    string(JSON value ERROR_VARIABLE error GET "${text}" ${key})
    if(error)
      message(FATAL_ERROR "${command}.json: ${error}")
    endif()
  endforeach()
endforeach()
