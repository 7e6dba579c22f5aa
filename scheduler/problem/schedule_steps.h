// SPDX-License-Identifier: Apache-2.0
// Converts a solution to the schedule that a session executes.
#pragma once

#include <vector>

#include "nestrt/plan.h"
#include "scheduler/problem/solution.h"

namespace nestrt::scheduler {

// Returns a schedule that contains the used lanes and lane 0 of the host. Its waits follow from the inputs of the tasks
// and from after_previous. Waits that are implied by other waits are omitted.
Schedule to_schedule(const Problem& problem, const Solution& solution);

// The steps of a schedule that compute something. A schedule in file order also contains steps that compute nothing.
struct ComputingSteps {
  Schedule schedule;               // a wait for a dropped step becomes a wait for its predecessor
  std::vector<uint32_t> original;  // by step: its index in the original schedule
};

// Requires: `schedule` is a schedule of `plan`.
ComputingSteps computing_steps(const Plan& plan, const Schedule& schedule);

}  // namespace nestrt::scheduler
