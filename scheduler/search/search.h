// SPDX-License-Identifier: Apache-2.0
// Search: the shortest schedule of a problem.
//
// A state is a set of complete tasks closed under predecessors, with the places and times of their results. Each step
// appends one task, so that the states of one size derive from those of the size before. Of two states with the same
// tasks and the same places of all results still to be read, only the one whose times are all at least as early is
// kept. States that cannot beat the best known makespan (scheduler/search/bounds.h) are dropped. At a barrier only the
// place and time of its result remain, and of results read past it, so that between barriers this is dynamic
// programming over the units. The search is exact if it never has more states than its width. It starts narrow, as a
// list scheduler with look-ahead, and widens while time remains. States dropped because of the width limit the lower
// bound to their own.
#pragma once

#include <chrono>

#include "scheduler/search/bounds.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

struct SearchOptions {
  bool one_at_a_time = false;  // in file order; otherwise concurrently
  size_t max_width = 4096;     // maximum number of states of one size
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct SearchResult {
  Solution best;
  double lower_bound_us = 0;  // equal to the makespan if the search was exact
};

// Maximum overrun of the deadline by the first, narrowest pass if a solution is known.
inline constexpr std::chrono::seconds kMaxFirstPassOverrun{1};

// `known`: a known solution; if empty, the first pass runs to completion whatever time it needs.
SearchResult search(const Problem& problem, const Bounds& bounds, const SearchOptions& options, Solution known = {});

}  // namespace nestrt::scheduler
