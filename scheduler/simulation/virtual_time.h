// SPDX-License-Identifier: Apache-2.0
// Virtual time: simulates a schedule from the costs in a problem, without the actual units.
//
// A lane runs its steps in order. A step starts when its lane is free, the steps that it waits for are complete and
// visible to its unit, and all its inputs have arrived. It slows down while a shared resource is at its limit
// (scheduler/problem/rates.h). An accelerator runs one step at a time; its queue selects the next one
// (scheduler/unit_queue.h).
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

struct StepSpan {
  double ready_us = 0;  // earliest start if its lane were free
  double start_us = 0;
  double end_us = 0;
};

struct VirtualRun {
  std::vector<StepSpan> spans;  // by step
  double makespan_us = 0;       // time at which the caller has the results
};

// Simulates one run of the schedule. The costs of the problem may differ from those for which the schedule was made,
// but the problem must have the same choices. `step_us`: the time of each step, which allows steps that are not choices
// of the problem; if empty, the times of the problem. Errors: kInvalidArgument (a step is not a choice of the problem,
// or precedes one of its dependencies).
Result<VirtualRun> run_in_virtual_time(const Problem& problem, const Schedule& schedule,
                                       std::span<const double> step_us = {});

// Returns the makespan of decisions in an order that respects the graph, converted as by to_schedule().
double makespan_in_virtual_time(const Problem& problem, std::span<const Decision> order);

// A session that runs its schedule repeatedly. Each run starts as soon as the caller has the results of the previous
// one.
struct VirtualSession {
  const Problem& problem;
  const Schedule& schedule;
  bool urgent = false;  // SessionOptions::urgent
};

struct VirtualInference {
  double begin_us = 0;
  double end_us = 0;  // time at which the caller has the results
};

// Runs concurrent sessions on the same units until each has completed `inferences` inferences. Returns the inferences
// of each session. Errors: those of the overload above, and kInvalidArgument (the problems have different units, or
// divide the host's cores differently).
Result<std::vector<std::vector<VirtualInference>>> run_in_virtual_time(std::span<const VirtualSession> sessions,
                                                                       size_t inferences);

// The load that one inference causes on resources shared by concurrent inferences.
struct Loads {
  // by unit; the largest load, including transfers, is the minimum interval between inferences
  std::vector<double> units_us;
  // by unit: time to transfer inputs and outputs to and from other units
  std::vector<double> transfers_us;
  double bytes = 0;  // transferred from and to memory
};
Result<Loads> loads_of(const Problem& problem, const Schedule& schedule);

// Returns the number of groups of branches (scheduler/problem/regions.h) in which at least two branches compute
// concurrently.
uint32_t num_concurrent_groups(const Problem& problem, const Schedule& schedule, const VirtualRun& run);

}  // namespace nestrt::scheduler
