// SPDX-License-Identifier: Apache-2.0
// Problems for tests of the scheduler, and their solution by exhaustive search.
#pragma once

#include <random>

#include "scheduler/problem/problem.h"

namespace nestrt::test {

struct ProblemKind {
  uint32_t max_tasks = 9;
  uint32_t units = 3;  // the first is the CPU
  bool splits = false;
  bool sharings = false;    // the CPU's cores may also be divided into two lanes
  bool by_channel = false;  // some tasks read another channel by channel; requires splits
  bool joins = false;       // tasks read two others, often the inputs of the task before
};

scheduler::Problem random_problem(const ProblemKind& kind, std::mt19937& random);

// Returns a network on a CPU and an accelerator, with costs drawn from `random`. The accelerator has programs for most
// of the network and is about `ratio` times as fast. With splits, it may compute a quarter, a half or three quarters of
// the channels of an operator.
scheduler::Problem network_problem(const Predecessors& graph, double ratio, bool splits, std::mt19937& random);

// Returns the smallest makespan over all placements and orders.
double brute_force_makespan(const scheduler::Problem& problem);

// Returns the smallest load of the busiest unit over all placements of whole tasks.
double brute_force_load(const scheduler::Problem& problem);

}  // namespace nestrt::test
