// Problems for tests of the scheduler, and their solution by trying everything.
#pragma once

#include <random>

#include "scheduler/problem/problem.h"

namespace nestrt::test {

struct ProblemKind {
  uint32_t max_tasks = 9;
  uint32_t units = 3;  // the first is the CPU
  bool splits = false;
  bool sharings = false;    // the CPU's cores also in two lanes
  bool by_channel = false;  // some tasks read another channel by channel; wants splits
  bool joins = false;       // tasks read two, and often what the task before reads
};

scheduler::Problem random_problem(const ProblemKind& kind, std::mt19937& random);

// A network on a CPU and an accelerator that has programs for most of it, with costs drawn from `random`: the
// accelerator is about `ratio` times as fast. With splits, the accelerator may take a quarter, a half or three
// quarters of an operator's channels.
scheduler::Problem network_problem(const Predecessors& graph, double ratio, bool splits, std::mt19937& random);

// The least makespan, by trying every placement and every order.
double brute_force_makespan(const scheduler::Problem& problem);

// The least load of the busiest unit, by trying every placement of whole tasks.
double brute_force_load(const scheduler::Problem& problem);

}  // namespace nestrt::test
