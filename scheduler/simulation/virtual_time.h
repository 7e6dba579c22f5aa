// Virtual time: what a schedule would do on units with the costs of a problem, without the units.
//
// A lane runs its steps in their order. A step starts when its lane is free, the steps that it waits for are complete
// and seen by its unit, and all that it reads has arrived. It takes longer than alone while what units share runs short
// (scheduler/problem/rates.h). Units beside the host run one step at a time, of whichever session; which of those that
// wait is next their queue says (scheduler/unit_queue.h).
#pragma once

#include <span>
#include <vector>

#include "nestrt/result.h"
#include "scheduler/simulation/timeline.h"

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

// The problem may have other costs than the one that the schedule was made for, but has to have its choices. `step_us`:
// how long each step takes, whether or not they are choices of the problem; empty: as the problem says.
// Errors: kInvalidArgument: the schedule has a step that is no choice of the problem, or steps before those they need.
Result<VirtualRun> run_in_virtual_time(const Problem& problem, const Schedule& schedule,
                                       std::span<const double> step_us = {});

// What decisions in an order that respects the graph take, as the schedule that to_schedule() makes of them.
double makespan_in_virtual_time(const Problem& problem, std::span<const Decision> order);

// A session that runs its schedule again and again, each time as soon as its caller has the results.
struct VirtualSession {
  const Problem& problem;
  const Schedule& schedule;
  bool urgent = false;  // SessionOptions::urgent
};

struct VirtualInference {
  double begin_us = 0;
  double end_us = 0;  // the caller has the results
};

// Sessions side by side, on the same units, until each has run so many inferences. By session: all that it has run.
// Errors: as above; kInvalidArgument: the problems are of different units, or share the host's cores out in different
// ways.
Result<std::vector<std::vector<VirtualInference>>> run_in_virtual_time(std::span<const VirtualSession> sessions,
                                                                       size_t inferences);

// What one inference takes of what several in flight share.
struct Loads {
  std::vector<double> units_us;      // with what is handed over, the largest is the least time between two
  std::vector<double> hand_over_us;  // of units: until what they read of others, and write, has been brought over
  double bytes = 0;                  // from and to memory
};
Result<Loads> loads_of(const Problem& problem, const Schedule& schedule);

// Groups of branches (scheduler/problem/regions.h) of which at least two compute at the same time.
uint32_t count_groups_side_by_side(const Problem& problem, const Schedule& schedule, const VirtualRun& run);

}  // namespace nestrt::scheduler
