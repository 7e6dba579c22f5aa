// A solution as the schedule that a session executes.
#pragma once

#include <vector>

#include "nestrt/plan.h"
#include "scheduler/problem/solution.h"

namespace nestrt::scheduler {

// Only lanes that are used, and lane 0 of the host. Waits are those of the tasks' inputs and of after_previous, without
// those that others imply.
Schedule to_schedule(const Problem& problem, const Solution& solution);

// The steps of a schedule that compute something: one in the order of the file has others too.
struct ComputingSteps {
  Schedule schedule;               // who waited for a step that is left out waits for the one before that
  std::vector<uint32_t> original;  // by step: which one of the schedule it was
};

// Requires: a schedule of the plan.
ComputingSteps computing_steps(const Plan& plan, const Schedule& schedule);

}  // namespace nestrt::scheduler
