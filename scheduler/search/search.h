// Search: the shortest schedule of a problem.
//
// States are sets of tasks that are complete under their predecessors, with where and when their results are; one more
// task is appended at a time, so that the states of one size are made from those of the size before. Of two states with
// the same tasks and the same places of all that is still to be read, the one whose times are all at least as early is
// kept; states that cannot lead to less than the best known makespan (scheduler/search/bounds.h) are dropped. At a
// barrier nothing remains but the place and time of its result, and of results that are read past it: from there to
// there this is dynamic programming over the units. The search is exact if it never has more states than its width. It
// starts narrow, which makes it a list scheduler that looks ahead, and widens as long as time remains; states left out
// for their number raise no lower bound beyond their own.
#pragma once

#include <chrono>

#include "scheduler/search/bounds.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

struct SearchOptions {
  bool one_at_a_time = false;  // in file order; else side by side
  size_t max_width = 4096;     // states of one size
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct SearchResult {
  Solution best;
  double lower_bound_us = 0;  // equal to the makespan where the search was exact
};

// How long after its deadline the first, narrowest search may end, where a solution is known.
inline constexpr std::chrono::seconds kPatience{1};

// `known`: a solution that need not be found again; may be empty: then the first search is completed whatever it takes.
SearchResult search(const Problem& problem, const Bounds& bounds, const SearchOptions& options, Solution known = {});

}  // namespace nestrt::scheduler
