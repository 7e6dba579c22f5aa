// SPDX-License-Identifier: Apache-2.0
// Search: finds the shortest schedule of a problem.
//
// A state is a set of completed tasks (closed under predecessors) with the locations and times of their results. Each
// step appends one task, so the states of one size derive from those of the previous size. If two states have the same
// tasks and the same locations of all results still to be read, a state is dropped if none of its times is earlier than
// in the other. States that cannot beat the best known makespan (scheduler/search/bounds.h) are also dropped. At a
// barrier, only its result and the results read beyond it matter. Between barriers, the search is therefore dynamic
// programming over the units.
// The search is exact if the number of states never exceeds its width. It starts narrow, as a list scheduler with
// look-ahead, and widens while time remains. If the width limit drops states, the lower bound falls to the lowest bound
// of those states.
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

// Maximum overrun of the deadline by the first (narrowest) pass if a solution is known.
inline constexpr std::chrono::seconds kMaxFirstPassOverrun{1};

// `known`: a known solution. If it is empty, the first pass runs to completion, regardless of the deadline.
SearchResult search(const Problem& problem, const Bounds& bounds, const SearchOptions& options, Solution known = {});

}  // namespace nestrt::scheduler
