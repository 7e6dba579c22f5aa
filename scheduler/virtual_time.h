// Virtual time: what a schedule would do on units with the costs of a problem, without the units.
//
// A lane runs its steps in their order. A step starts when its lane is free, the steps that it waits for are complete
// and seen by its unit, and all that it reads has arrived. It takes longer than alone while what units share runs short
// (scheduler/rates.h).
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "scheduler/problem.h"

namespace nestrt::scheduler {

struct StepSpan {
  double ready_us = 0;  // but for its lane
  double start_us = 0;
  double end_us = 0;
};

struct VirtualRun {
  std::vector<StepSpan> spans;  // by step
  double makespan_us = 0;       // until the caller has the results
};

// The problem may have other costs than the one that the schedule was made for, but has to have its choices.
// Errors: kInvalidArgument: the schedule has a step that is no choice of the problem, or steps before those they need.
Result<VirtualRun> run_in_virtual_time(const Problem& problem, const Schedule& schedule);
// The same where steps take as long as `step_us` says, by step, whether or not they are choices of the problem.
Result<VirtualRun> run_in_virtual_time(const Problem& problem, const Schedule& schedule,
                                       std::span<const double> step_us);

// By unit: how long it computes in one inference. The largest is the least time between two in a pipeline.
Result<std::vector<double>> unit_loads_us(const Problem& problem, const Schedule& schedule);

// Groups of branches (scheduler/regions.h) of which at least two compute at the same time.
uint32_t count_groups_side_by_side(const Problem& problem, const Schedule& schedule, const VirtualRun& run);

}  // namespace nestrt::scheduler
