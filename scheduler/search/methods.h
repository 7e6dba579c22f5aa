// The ways to make a schedule beside the search for the shortest (scheduler/search/search.h).
#pragma once

#include <chrono>
#include <functional>

#include "nestrt/driver/function_ref.h"
#include "scheduler/problem/restriction.h"
#include "scheduler/simulation/timeline.h"

namespace nestrt::scheduler {

using Deadline = std::chrono::steady_clock::time_point;

// Whether all of a task is done at once, if by the host with all of its cores.
bool is_whole(const Choice& choice);

// The problem with whole tasks on units only: no parts, and all of the host's cores in one lane.
Restriction whole_placements(const Problem& problem);

// One task after the other, in file order, on that unit wherever it has a program, else as fast as can be.
Solution on_unit(const Problem& whole_placements, uint32_t unit);

// One task after the other, in file order, with the best placement. Dynamic programming over the places of what is
// still to be read: exact unless more of them matter at once than the search is wide. Never slower than all tasks on
// one unit, with another's help where it has no program.
Solution sequential(const Problem& whole_placements, Deadline deadline);

// The same with other placements of neighbours where they promise less, as `makespan` has it: where units share what
// may run short, or a core that waits goes to sleep, which dynamic programming knows nothing of.
Solution improve_sequential(const Problem& whole_placements, Solution sequential, Deadline deadline,
                            FunctionRef<double(const std::vector<Decision>&)> makespan);

struct PaperSolution {
  Solution solution;
  bool is_complete = true;  // whether the deadline left time for all matchings
};

// The paper's method: the sequential placement, but each group of branches side by side where that is faster. Of m
// branches and k units, up to k - 1 units get one branch each, and the remaining unit all others, one after the other;
// every such matching is tried, with transfers and synchronisation. A branch is whole: what its unit has no program for
// is placed as in the sequential placement. `sequential`: of the same problem.
PaperSolution paper(const Problem& whole_placements, const Solution& sequential, Deadline deadline);

// The smallest load of the busiest unit: tasks are placed from the largest to the smallest, with the most promising
// placements kept at each size; then single tasks are moved or exchanged as long as that helps. In file order, side by
// side.
Solution throughput(const Problem& whole_placements, Deadline deadline);

}  // namespace nestrt::scheduler
