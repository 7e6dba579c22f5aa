// SPDX-License-Identifier: Apache-2.0
#include "scheduler/multi_session/contention_aware.h"

#include <catch2/catch.hpp>
#include <random>

#include "scheduler/multi_session/concurrent_sessions.h"
#include "scheduler/problem/schedule_steps.h"
#include "test/scheduler/problems.h"
#include "test/support/plan/network_graphs.h"

namespace nestrt::test {
namespace {

using scheduler::Problem;
using scheduler::Solution;

constexpr auto kLongEnough = std::chrono::hours(24);
const std::vector<double> kThreeOthers = {2.7, 2.7};

// Returns the fraction of the throughput bound that four concurrent sessions with this solution achieve.
double throughput_of_four(const Problem& problem, const Solution& solution) {
  const Schedule schedule = to_schedule(problem, solution);
  const std::vector<scheduler::VirtualSession> sessions(4, {problem, schedule});
  return run_concurrently(sessions, 40)->bound_fraction;
}

TEST_CASE("Without other sessions the schedule is the shortest") {
  std::mt19937 random(1);
  const Problem problem = network_problem(squeezenet_graph(), 2, true, random);
  const auto alone = scheduler::solve(problem, ScheduleMethod::kOptimum, kLongEnough);
  CHECK(solve_contention_aware(problem, {}, ScheduleMethod::kOptimum, kLongEnough).solution.makespan_us ==
        alone.solution.makespan_us);
}

// Returns a chain of tasks. Each unit is four times as fast as the other for every second task. Splitting a task
// shortens it but needs more unit time.
Problem wasteful_chain() {
  Problem problem;
  problem.units = {{true, {}}, {false, {}}};
  problem.lanes = {{0}, {1}};
  for (uint32_t index = 0; index < 12; ++index) {
    scheduler::Task& task = problem.tasks.emplace_back();
    task.branch = index;
    if (index > 0) task.inputs.push_back({index - 1, 0});
    const auto part = [](uint32_t lane, double us, ChannelRange channels) {
      scheduler::Part part;
      part.lane = lane;
      part.us = us;
      part.channels = channels;
      return part;
    };
    const uint32_t fast = index % 2;
    task.choices = {{{part(fast, 10, {})}, fast == 0 ? 0 : scheduler::kAnySharing},
                    {{part(1 - fast, 40, {})}, fast == 1 ? 0 : scheduler::kAnySharing},
                    {{part(1, 8, {0, 16}), part(0, 8, {16, 32})}, 0}};
  }
  return problem;
}

TEST_CASE("Contention-aware sessions use less unit time and have a higher total throughput") {
  const Problem problem = wasteful_chain();
  const Solution alone = scheduler::solve(problem, ScheduleMethod::kOptimum, kLongEnough).solution;
  CHECK(alone.makespan_us == 12 * 8);
  const Solution aware = solve_contention_aware(problem, kThreeOthers, ScheduleMethod::kOptimum, kLongEnough).solution;
  CHECK(aware.makespan_us == 12 * 10);
  CHECK(throughput_of_four(problem, aware) > 1.4 * throughput_of_four(problem, alone));
}

TEST_CASE("Contention-aware sessions of networks have a higher total throughput") {
  std::mt19937 random(2);
  double shortest = 0, together = 0;
  for (int i = 0; i < 10; ++i) {
    const Problem problem = network_problem(squeezenet_graph(), 2, true, random);
    const Solution alone = scheduler::solve(problem, ScheduleMethod::kOptimum, kLongEnough).solution;
    const scheduler::Solved aware =
        solve_contention_aware(problem, kThreeOthers, ScheduleMethod::kOptimum, kLongEnough);
    CHECK(aware.solution.makespan_us >= alone.makespan_us * (1 - 1e-9));
    CHECK(aware.lower_bound_us <= alone.makespan_us);
    shortest += throughput_of_four(problem, alone);
    together += throughput_of_four(problem, aware.solution);
  }
  CHECK(together > 1.02 * shortest);
}

TEST_CASE("Every task is placed under any demand of other sessions") {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(
        {.max_tasks = 6, .units = 2, .splits = i % 2 == 0, .sharings = i % 3 == 0, .joins = true}, random);
    const std::vector<double> others = {i % 5 * 0.7, i % 7 * 0.5};
    const Solution solution = solve_contention_aware(problem, others, ScheduleMethod::kOptimum, kLongEnough).solution;
    REQUIRE(solution.order.size() == problem.tasks.size());
    REQUIRE(solution.makespan_us >= brute_force_makespan(problem) * (1 - 1e-9));
  }
}

}  // namespace
}  // namespace nestrt::test
