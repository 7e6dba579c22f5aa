// SPDX-License-Identifier: Apache-2.0
// A schedule of a problem, found by a longer search than a session's, and its run in virtual time.
#pragma once

#include <cstdint>

#include "nestrt/driver/schedule.h"
#include "nestrt/result.h"
#include "scheduler/problem/problem.h"
#include "scheduler/simulation/virtual_time.h"

namespace nestrt::command {

struct Simulated {
  Schedule schedule;
  scheduler::VirtualRun run;
  double lower_bound_us = 0;
  uint32_t groups = 0;        // groups that run concurrently
  uint32_t npu_branches = 0;  // branches that an accelerator computes, fully or partly
  bool is_complete = true;    // group enumeration: the search was exhaustive
};

// Counts the branches that an accelerator computes, fully or partly.
uint32_t count_npu_branches(const scheduler::Problem& problem, const Schedule& schedule);

// Returns the best schedule found with all accelerators or with fewer. Errors: those of run_in_virtual_time().
Result<Simulated> simulate(const scheduler::Problem& problem, ScheduleMethod method, int budget_ms);

// Replaces `result` with the schedule of a more restricted problem if that one is shorter, as a search may miss it.
Status take_shorter(const scheduler::Problem& problem, const Simulated& other, Simulated& result);

}  // namespace nestrt::command
