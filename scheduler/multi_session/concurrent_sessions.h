// SPDX-License-Identifier: Apache-2.0
// Concurrent sessions of several networks on the same units: their simulated throughput, its upper bound, and schedules
// that balance the networks together.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "scheduler/simulation/timeline.h"
#include "scheduler/simulation/virtual_time.h"

namespace nestrt::scheduler {

// Results of one session. The first tenth of the inferences is a warm-up and is not counted.
struct SessionFigures {
  double alone_us = 0;  // latency of one inference with no other session running
  double median_us = 0;
  double p99_us = 0;
  double longest_us = 0;
  double per_second = 0;
};

struct ConcurrentRun {
  std::vector<SessionFigures> sessions;
  // The achieved fraction of the throughput bound. At 1, these inferences keep the busiest unit busy all the time, even
  // if every branch could be split among the units in the best proportions at no cost (a linear program,
  // load_bound_us() of round_problem()).
  double bound_fraction = 0;
};

// Runs the simulation until each session has completed `inferences` inferences, at least 20. Errors: those of
// run_in_virtual_time().
Result<ConcurrentRun> run_concurrently(std::span<const VirtualSession> sessions, size_t inferences);

// N inferences of one network. Together, the parts of all networks form one problem, the round. Each of its tasks
// represents a task of a network in all N inferences and takes their total time. All networks have the same units and
// lanes.
struct RoundPart {
  const Problem& problem;
  double inferences = 1;
};
Problem round_problem(std::span<const RoundPart> parts);

// Returns one schedule per network. Together, they minimise the load of the busiest unit for one round. Each unit gets
// the work that it does best from each network. The load is never larger than if each network were balanced separately.
std::vector<Solution> balance_together(std::span<const RoundPart> parts, std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
