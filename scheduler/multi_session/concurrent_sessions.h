// SPDX-License-Identifier: Apache-2.0
// Concurrent sessions of several networks on the same units: the throughput they reach, its bound, and schedules that
// balance all of them together.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "scheduler/simulation/timeline.h"
#include "scheduler/simulation/virtual_time.h"

namespace nestrt::scheduler {

// Figures of one session, over the inferences between the first tenth and the end of the simulation.
struct SessionFigures {
  double alone_us = 0;  // one inference, with no other session running
  double median_us = 0;
  double p99_us = 0;
  double longest_us = 0;
  double per_second = 0;
};

struct ConcurrentRun {
  std::vector<SessionFigures> sessions;
  // Achieved fraction of the bound. 1 means that these inferences keep the busiest unit busy all the time even if every
  // branch were split among the units in the best shares at no cost (a linear program, load_bound_us() of
  // round_problem()).
  double bound_fraction = 0;
};

// Simulates until each session has run `inferences` inferences, at least 20. Errors: those of run_in_virtual_time().
Result<ConcurrentRun> run_concurrently(std::span<const VirtualSession> sessions, size_t inferences);

// A number of inferences of each network as one problem, a round. A task represents the task of all its network's
// inferences and needs their total time. All networks have the same units and lanes.
struct RoundPart {
  const Problem& problem;
  double inferences = 1;
};
Problem round_problem(std::span<const RoundPart> parts);

// Returns, by network, schedules with the smallest load of the busiest unit for a round of all networks. Balanced
// together, each unit gets the work of each network that it does best. The load is never larger than if each network is
// balanced separately.
std::vector<Solution> balance_together(std::span<const RoundPart> parts, std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
