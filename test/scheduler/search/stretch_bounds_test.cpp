// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/stretch_bounds.h"

#include <catch2/catch.hpp>

#include "test/scheduler/problems.h"
#include "test/support/plan/network_graphs.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using scheduler::Bounds;
using scheduler::Problem;

constexpr auto kNoDeadline = std::chrono::steady_clock::time_point::max();
constexpr double kLastDigits = 1e-9;

TEST_CASE("Searched bounds do not exceed the shortest schedule, and no returned schedule is shorter") {
  std::mt19937 random(5);
  for (int i = 0; i < by_level(50, 500, 5000); ++i) {
    const Problem problem = random_problem({.max_tasks = 6, .units = 2, .sharings = i % 2 == 0, .joins = true}, random);
    Bounds bounds(problem);
    const double before = bounds.total_us();
    const scheduler::Solution solution = tighten_bounds(problem, bounds, kNoDeadline);
    const double shortest = brute_force_makespan(problem);
    CAPTURE(i);
    REQUIRE(bounds.total_us() >= before * (1 - kLastDigits));
    REQUIRE(bounds.total_us() <= shortest * (1 + kLastDigits));
    REQUIRE(solution.makespan_us >= shortest * (1 - kLastDigits));
    REQUIRE(solution.order.size() == problem.tasks.size());
  }
}

TEST_CASE("Searching a stretch starts from the known solution") {
  std::mt19937 random(7);
  const auto over = std::chrono::steady_clock::time_point::min();
  for (int i = 0; i < 20; ++i) {
    const Problem problem = network_problem(googlenet_graph(true), 2, i % 2 == 0, random);
    Bounds bounds(problem);
    const scheduler::Solution known = tighten_bounds(problem, bounds, kNoDeadline);
    Bounds others(problem);
    const scheduler::Solution again = tighten_bounds(problem, others, over, known);
    REQUIRE(again.makespan_us <= known.makespan_us * (1 + kLastDigits));
    REQUIRE(again.makespan_us < tighten_bounds(problem, others, over).makespan_us);
  }
}

TEST_CASE("On modular networks, searched bounds are within 2 % of a schedule") {
  std::mt19937 random(6);
  for (const bool in_place : {false, true}) {
    const Problem problem = network_problem(googlenet_graph(in_place), 2, false, random);
    Bounds bounds(problem);
    const double work_alone = bounds.total_us();
    const scheduler::Solution solution = tighten_bounds(problem, bounds, kNoDeadline);
    CHECK(solution.makespan_us < 1.02 * bounds.total_us());
    CHECK(solution.makespan_us > 1.02 * work_alone);
  }
}

}  // namespace
}  // namespace nestrt::test
