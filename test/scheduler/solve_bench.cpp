// SPDX-License-Identifier: Apache-2.0
// Measures the time to compute schedules and their distance to the lower bound, on networks with random costs. The
// units are a CPU and an accelerator that is about twice as fast. The accelerator has programs for most operators; in
// "split" runs, also for slices of operators. Use --benchmark_filter=gap to measure the distances to the lower bound on
// graphs without structure.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "nestrt/driver/unit.h"
#include "scheduler/search/solve.h"
#include "test/scheduler/problems.h"
#include "test/support/plan/network_graphs.h"

namespace nestrt::test {
namespace {

using scheduler::Problem;
using std::chrono::milliseconds;

double gap_percent(const scheduler::Solved& solved) {
  return 100 * (solved.solution.makespan_us / solved.lower_bound_us - 1);
}

void make_schedules(benchmark::State& state, const Predecessors& graph, bool splits, milliseconds budget) {
  std::mt19937 random(1);
  std::vector<Problem> problems;
  for (int i = 0; i < 10; ++i) problems.push_back(network_problem(graph, 2, splits, random));
  double gap = 0, worst = 0, gain = 0;
  int64_t count = 0;
  for (auto _ : state) {
    const Problem& problem = problems[static_cast<size_t>(count++) % problems.size()];
    const scheduler::Solved solved = scheduler::solve(problem, ScheduleMethod::kOptimum, budget);
    state.PauseTiming();
    const scheduler::Solved sequential = scheduler::solve(problem, ScheduleMethod::kSequential, budget);
    gain += 100 * (1 - solved.solution.makespan_us / sequential.solution.makespan_us);
    gap += gap_percent(solved);
    worst = std::max(worst, gap_percent(solved));
    state.ResumeTiming();
  }
  state.counters["gap_%"] = gap / static_cast<double>(count);
  state.counters["worst_gap_%"] = worst;
  state.counters["gain_%"] = gain / static_cast<double>(count);
}

void measure_gaps(benchmark::State& state, uint32_t tasks, milliseconds budget) {
  std::vector<double> gaps;
  for (auto _ : state) {
    std::mt19937 random(static_cast<uint32_t>(gaps.size()));
    const Problem problem = network_problem(tangled_graph(tasks, static_cast<uint32_t>(gaps.size())), 2, false, random);
    gaps.push_back(gap_percent(scheduler::solve(problem, ScheduleMethod::kOptimum, budget)));
  }
  std::sort(gaps.begin(), gaps.end());
  state.counters["median_gap_%"] = gaps[gaps.size() / 2];
  state.counters["worst_gap_%"] = gaps.back();
}

void register_all() {
  struct Network {
    const char* name;
    Predecessors graph;
    milliseconds budget;
  };
  const Network networks[] = {{"squeezenet", squeezenet_graph(), milliseconds(10)},
                              {"googlenet", googlenet_graph(), milliseconds(10)},
                              {"resnet50", resnet50_graph(), milliseconds(50)},
                              {"nested_inception", nested_inception_graph(), milliseconds(10)},
                              {"500_operators", tangled_graph(500, 1), milliseconds(50)}};
  for (const Network& network : networks)
    for (bool splits : {false, true})
      benchmark::RegisterBenchmark((std::string("schedule/") + network.name + (splits ? "/split" : "")).c_str(),
                                   make_schedules, network.graph, splits, network.budget)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(20);
  for (uint32_t tasks : {20u, 50u, 100u, 500u})
    benchmark::RegisterBenchmark(("gap/" + std::to_string(tasks)).c_str(), measure_gaps, tasks, milliseconds(50))
        ->Unit(benchmark::kMillisecond)
        ->Iterations(20);
}

[[maybe_unused]] const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace nestrt::test
