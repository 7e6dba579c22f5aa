// SPDX-License-Identifier: Apache-2.0
// The steps of a schedule, expressed as parts of a problem's tasks, and their dependencies: the input of the
// virtual-time simulation.
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// A dependency on an earlier step, and the number of bytes of its output that are read.
struct Need {
  uint32_t step = 0;
  double bytes = 0;
};

struct VirtualStep {
  uint32_t task = 0;
  Part part;
  uint32_t first_need = 0, end_need = 0;
};

struct VirtualSteps {
  std::vector<VirtualStep> steps;
  std::vector<Need> needs;  // the needs of one step are contiguous

  std::span<const Need> needs_of(const VirtualStep& step) const {
    return std::span(needs).subspan(step.first_need, step.end_need - step.first_need);
  }
};

// Returns the task of each branch, or kInvalidIndex for branches without a task.
std::vector<uint32_t> tasks_by_branch(const Problem& problem);

// Returns the steps of a schedule. `step_us`: the time of each step, which allows steps that are not choices of the
// problem. If it is empty, each step takes the time of its choice. Errors: kInvalidArgument (a step is not a choice of
// the problem, or precedes one of its dependencies).
Result<VirtualSteps> virtual_steps(const Problem& problem, const Schedule& schedule,
                                   std::span<const double> step_us = {});

// Returns the steps of decisions in an order that respects the graph, converted as by to_schedule()
// (scheduler/problem/schedule_steps.h).
VirtualSteps virtual_steps(const Problem& problem, std::span<const Decision> order);

}  // namespace nestrt::scheduler
