// SPDX-License-Identifier: Apache-2.0
// Conversion of a solution to the schedule that a session executes.
#pragma once

#include <vector>

#include "nestrt/plan.h"
#include "scheduler/problem/solution.h"

namespace nestrt::scheduler {

// Returns a schedule with the used lanes and lane 0 of the host. Waits are those of the tasks' inputs and of
// after_previous, without those that others imply.
Schedule to_schedule(const Problem& problem, const Solution& solution);

// The steps of a schedule that compute something. A schedule in file order also has others.
struct ComputingSteps {
  Schedule schedule;               // waits for a dropped step become waits for its predecessor
  std::vector<uint32_t> original;  // by step: its index in the original schedule
};

// Requires: `schedule` is a schedule of `plan`.
ComputingSteps computing_steps(const Plan& plan, const Schedule& schedule);

}  // namespace nestrt::scheduler
