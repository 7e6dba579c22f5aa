// SPDX-License-Identifier: Apache-2.0
// The options of the C API: opaque structs that wrap the C++ options.
#pragma once

#include <cstdint>
#include <string>

#include "nestrt/nestrt.h"
#include "nestrt/open_units.h"
#include "nestrt/pipeline.h"
#include "nestrt/session.h"

struct nestrt_session_options {
  nestrt::SessionOptions value;
  std::string plugin;  // UnitOptions of the session's units
  bool isolate = false;

  // The result refers to this object.
  nestrt::UnitOptions unit_options(int32_t num_threads) const {
    return {.num_threads = num_threads, .plugin = plugin, .isolate = isolate};
  }
};

struct nestrt_run_options {
  int64_t timeout_us = INT64_MAX;  // counted from the call; INT64_MAX: no timeout

  nestrt::RunOptions for_call_at(nestrt::SteadyClock::time_point call) const;
};

struct nestrt_pipeline_options {
  nestrt::PipelineOptions value;  // except the options of its sessions
};
