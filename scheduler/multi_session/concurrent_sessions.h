// SPDX-License-Identifier: Apache-2.0
// Concurrent sessions of several networks on the same units: simulated throughput, its upper bound, and schedules that
// balance the networks together.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "scheduler/simulation/timeline.h"
#include "scheduler/simulation/virtual_time.h"

namespace nestrt::scheduler {

// Results of one session. They cover the inferences from the end of the first tenth to the end of the simulation.
struct SessionFigures {
  double alone_us = 0;  // latency of one inference with no other session running
  double median_us = 0;
  double p99_us = 0;
  double longest_us = 0;
  double per_second = 0;
};

struct ConcurrentRun {
  std::vector<SessionFigures> sessions;
  // Achieved fraction of the throughput bound. 1 means that these inferences keep the busiest unit busy all the time,
  // even if every branch were split among the units in the best shares at no cost (a linear program, load_bound_us() of
  // round_problem()).
  double bound_fraction = 0;
};

// Simulates until each session has run `inferences` inferences, at least 20. Errors: those of run_in_virtual_time().
Result<ConcurrentRun> run_concurrently(std::span<const VirtualSession> sessions, size_t inferences);

// N inferences of one network, as part of one problem, the round. Each task represents that task in all N inferences
// and takes their total time. All networks have the same units and lanes.
struct RoundPart {
  const Problem& problem;
  double inferences = 1;
};
Problem round_problem(std::span<const RoundPart> parts);

// Returns, for each network, the schedule that together minimise the load of the busiest unit for one round of all
// networks. Each unit gets the work of each network that it does best. The load is never larger than if each network is
// balanced separately.
std::vector<Solution> balance_together(std::span<const RoundPart> parts, std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
