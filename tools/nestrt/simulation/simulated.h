// A schedule of a problem, searched for in more ways than a session has time for, and what became of it in virtual
// time.
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
  uint32_t groups = 0;        // that compute side by side
  uint32_t npu_branches = 0;  // that are computed on another unit than the CPU, whole or in part
  bool is_complete = true;    // "paper": whether all was tried that the method has
};

// Branches that another unit than the CPU computes, whole or in part.
uint32_t count_npu_branches(const scheduler::Problem& problem, const Schedule& schedule);

// The best that is found with all units beside the CPU and with fewer. Errors: those of run_in_virtual_time().
Result<Simulated> simulate(const scheduler::Problem& problem, ScheduleMethod method, int budget_ms);

// The schedule of a problem that allows less, where it is the shorter one: a search finds not all that there is.
Status take_shorter(const scheduler::Problem& problem, const Simulated& other, Simulated& result);

}  // namespace nestrt::command
