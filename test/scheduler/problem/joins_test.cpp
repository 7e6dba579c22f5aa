// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/joins.h"

#include <catch2/catch.hpp>

#include "scheduler/problem/invalid_index.h"
#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/solve.h"
#include "scheduler/simulation/virtual_time.h"
#include "test/scheduler/problems.h"
#include "test/support/plan/network_graphs.h"

namespace nestrt::test {
namespace {

using scheduler::kInvalidIndex;
using scheduler::Problem;

Problem problem_of(const Predecessors& graph) {
  Problem problem;
  for (uint32_t index = 0; index < graph.size(); ++index) {
    scheduler::Task& task = problem.tasks.emplace_back();
    task.branch = index;
    for (const uint32_t before : graph[index]) task.inputs.push_back({before, 1});
  }
  return problem;
}

std::vector<uint32_t> barriers_among(const std::vector<scheduler::Separator>& separators) {
  std::vector<uint32_t> barriers;
  barriers.reserve(separators.size());
  for (const scheduler::Separator& separator : separators) barriers.push_back(separator.barrier);
  return barriers;
}

TEST_CASE("A join of several tasks separates the tasks before it from those after it") {
  // 0 -> {1, 2} -> {3, 4} -> 5, where 3 and 4 each read 1 and 2
  const Problem problem = problem_of({{}, {0}, {0}, {1, 2}, {2, 1}, {3, 4}});
  const auto separators = separators_of(problem);
  CHECK(barriers_among(separators) == std::vector<uint32_t>{0, kInvalidIndex, 5});
  CHECK(separators[1].tasks == std::vector<uint32_t>{1, 2});
  CHECK(separators[1].tasks_before == 3);
  CHECK(separators[2].tasks_before == 5);
  const scheduler::JoinedGraph joined = with_joins(problem);
  CHECK(joined.task_of == std::vector<uint32_t>{0, 1, 2, kInvalidIndex, 3, 4, 5});
  CHECK(joined.graph[4] == std::vector<uint32_t>{3});
}

TEST_CASE("Tasks that also read something else do not form a join") {
  const Problem problem = problem_of({{}, {0}, {0}, {1, 2}, {0, 1, 2}, {3, 4}});
  CHECK(barriers_among(separators_of(problem)) == std::vector<uint32_t>{0, 5});
}

TEST_CASE("A task that is read channel by channel is not joined because its reader starts before it is complete") {
  Problem problem = problem_of({{}, {0}, {0}, {1, 2}, {1, 2}, {3, 4}});
  problem.tasks[3].inputs[0].by_channel = true;
  CHECK(barriers_among(separators_of(problem)) == std::vector<uint32_t>{0, 5});
}

TEST_CASE("The paper's method finds the nine modules of GoogLeNet if concatenations are not tasks") {
  for (const bool in_place : {false, true}) {
    std::mt19937 random(3);
    const Problem problem = network_problem(googlenet_graph(in_place), 1, false, random);
    const auto solved = scheduler::solve(problem, ScheduleMethod::kGroupEnumeration, std::chrono::hours(100));
    const Schedule schedule = to_schedule(problem, solved.solution);
    const auto run = run_in_virtual_time(problem, schedule);
    REQUIRE(run);
    CHECK(num_concurrent_groups(problem, schedule, *run) == 9);
  }
}

}  // namespace
}  // namespace nestrt::test
