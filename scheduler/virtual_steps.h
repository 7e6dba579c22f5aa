// The steps of a schedule as parts of a problem's tasks, with what each waits for: what virtual time goes by.
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "scheduler/problem.h"

namespace nestrt::scheduler {

struct VirtualStep {
  // An earlier step, and how many bytes of what it computes are read.
  struct Need {
    uint32_t step = 0;
    double bytes = 0;
  };

  uint32_t task = 0;
  Part part;
  std::vector<Need> needs;
};

// By branch; kNone where it is no task.
std::vector<uint32_t> tasks_by_branch(const Problem& problem);

// By step; each takes as long as `step_us` says, by step, whether or not it is a choice of the problem; where that is
// empty, what its choice takes. Errors: kInvalidArgument: the schedule has a step that is no choice of the problem, or
// steps before those they need.
Result<std::vector<VirtualStep>> virtual_steps(const Problem& problem, const Schedule& schedule,
                                               std::span<const double> step_us = {});

}  // namespace nestrt::scheduler
