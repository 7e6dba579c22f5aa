// Sessions of several networks side by side on the same units: what they reach, what they could reach, and schedules
// that are good for all of them together.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "scheduler/simulation/timeline.h"
#include "scheduler/simulation/virtual_time.h"

namespace nestrt::scheduler {

// Of the inferences of one session, between the first tenth and the end of what was simulated.
struct SessionFigures {
  double alone_us = 0;  // an inference, where no other session is
  double median_us = 0;
  double p99_us = 0;
  double longest_us = 0;
  double per_second = 0;
};

struct SideBySide {
  std::vector<SessionFigures> sessions;
  // The part of what the units could do at most: 1 where so many inferences of each session keep the busiest unit busy
  // all of the time even if every branch were divided among the units in the best shares, at no cost (a linear program,
  // load_bound_us() of round_problem()).
  double of_bound = 0;
};

// Until each session has run so many inferences, at least 20. Errors: those of run_in_virtual_time().
Result<SideBySide> run_side_by_side(std::span<const VirtualSession> sessions, size_t inferences);

// So many inferences of each network as one problem, a round: a task stands for that of all its network's inferences,
// and takes as long as they do together. All networks have the same units and lanes.
struct RoundPart {
  const Problem& problem;
  double inferences = 1;
};
Problem round_problem(std::span<const RoundPart> parts);

// By network: the smallest load of the busiest unit for a round of all of them. Each by itself would balance its own
// work; together, each unit gets of each network what it is good at. Never a larger load than if each is balanced by
// itself.
std::vector<Solution> balance_together(std::span<const RoundPart> parts, std::chrono::microseconds budget);

}  // namespace nestrt::scheduler
