// The steps of a schedule as parts of a problem's tasks, with what each waits for: what virtual time goes by.
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

// An earlier step, and how many bytes of what it computes are read.
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
  std::vector<Need> needs;  // those of a step side by side

  std::span<const Need> needs_of(const VirtualStep& step) const {
    return std::span(needs).subspan(step.first_need, step.end_need - step.first_need);
  }
};

// By branch; kInvalidIndex where it is no task.
std::vector<uint32_t> tasks_by_branch(const Problem& problem);

// By step; each takes as long as `step_us` says, by step, whether or not it is a choice of the problem; where that is
// empty, what its choice takes. Errors: kInvalidArgument: the schedule has a step that is no choice of the problem, or
// steps before those they need.
Result<VirtualSteps> virtual_steps(const Problem& problem, const Schedule& schedule,
                                   std::span<const double> step_us = {});

// Those of decisions, in an order that respects the graph, as to_schedule() (scheduler/problem/schedule_steps.h) makes
// them.
VirtualSteps virtual_steps(const Problem& problem, std::span<const Decision> order);

}  // namespace nestrt::scheduler
