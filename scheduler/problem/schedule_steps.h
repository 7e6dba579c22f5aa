// SPDX-License-Identifier: Apache-2.0
// Conversion of a solution to the schedule that a session executes.
#pragma once

#include <vector>

#include "nestrt/plan.h"
#include "scheduler/problem/solution.h"

namespace nestrt::scheduler {

// Returns a schedule with the lanes in use and lane 0 of the host. Its waits follow from the inputs of the tasks and
// from after_previous. Waits that other waits imply are omitted.
Schedule to_schedule(const Problem& problem, const Solution& solution);

// The steps of a schedule that compute something. A schedule in file order also contains other steps.
struct ComputingSteps {
  Schedule schedule;               // a wait for a dropped step becomes a wait for its predecessor
  std::vector<uint32_t> original;  // by step: its index in the original schedule
};

// Requires: `schedule` is a schedule of `plan`.
ComputingSteps computing_steps(const Plan& plan, const Schedule& schedule);

}  // namespace nestrt::scheduler
