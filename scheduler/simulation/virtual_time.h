// SPDX-License-Identifier: Apache-2.0
// Virtual time: simulates a schedule on units with the costs of a problem, without the units.
//
// A lane runs its steps in order. A step starts when its lane is free, the steps that it waits for are complete and
// visible to its unit, and all its inputs have arrived. It slows down while shared resources are at their limit
// (scheduler/problem/rates.h). An accelerator runs one step at a time, of any session; its queue selects the next
// (scheduler/unit_queue.h).
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

struct StepSpan {
  double ready_us = 0;  // when it could start if its lane were free
  double start_us = 0;
  double end_us = 0;
};

struct VirtualRun {
  std::vector<StepSpan> spans;  // by step
  double makespan_us = 0;       // until the caller has the results
};

// The problem may have other costs than the one that the schedule was made for, but must have its choices. `step_us`:
// the time of each step, also for steps that are not choices of the problem; empty: the problem's times.
// Errors: kInvalidArgument (the schedule has a step that is not a choice of the problem, or a step before one that it
// needs).
Result<VirtualRun> run_in_virtual_time(const Problem& problem, const Schedule& schedule,
                                       std::span<const double> step_us = {});

// Returns the makespan of decisions in an order that respects the graph, as to_schedule() converts them.
double makespan_in_virtual_time(const Problem& problem, std::span<const Decision> order);

// A session that runs its schedule repeatedly, each time as soon as its caller has the results.
struct VirtualSession {
  const Problem& problem;
  const Schedule& schedule;
  bool urgent = false;  // SessionOptions::urgent
};

struct VirtualInference {
  double begin_us = 0;
  double end_us = 0;  // when the caller has the results
};

// Runs concurrent sessions on the same units until each has completed `inferences` inferences. Returns all inferences
// by session. Errors: as above; kInvalidArgument (the problems have different units, or divide the host's cores in
// different ways).
Result<std::vector<std::vector<VirtualInference>>> run_in_virtual_time(std::span<const VirtualSession> sessions,
                                                                       size_t inferences);

// The load of one inference on resources that several inferences in flight share.
struct Loads {
  // by unit; the maximum over units, transfers included, is the minimum time between two inferences
  std::vector<double> units_us;
  // by unit: time to transfer the inputs and outputs that it exchanges with other units
  std::vector<double> transfers_us;
  double bytes = 0;  // transferred from and to memory
};
Result<Loads> loads_of(const Problem& problem, const Schedule& schedule);

// Returns the number of groups of branches (scheduler/problem/regions.h) of which at least two compute at the same
// time.
uint32_t num_concurrent_groups(const Problem& problem, const Schedule& schedule, const VirtualRun& run);

}  // namespace nestrt::scheduler
