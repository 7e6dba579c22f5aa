// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/methods.h"

#include <catch2/catch.hpp>

#include "test/scheduler/problems.h"

namespace nestrt::test {
namespace {

using scheduler::Deadline;
using scheduler::Decision;
using scheduler::improve_sequential;
using scheduler::Part;
using scheduler::Problem;
using scheduler::sequential;
using scheduler::Solution;
using scheduler::Task;
using scheduler::whole_placements;

TEST_CASE("A sequential schedule is improved with a given makespan function by moving neighbours together") {
  std::mt19937 random(7);
  const Problem problem = random_problem({.max_tasks = 8, .units = 2}, random);
  const scheduler::Restriction whole = whole_placements(problem);
  const Solution before = sequential(whole.problem(), Deadline::max());
  // Each change of the unit between neighbours costs 100. Each task that does not use its last choice costs 10. Only
  // moving neighbours together reduces the cost.
  const auto makespan = [&](const std::vector<Decision>& order) {
    double cost = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const auto& choices = whole.problem().tasks[order[i].task].choices;
      cost += order[i].choice + 1 == choices.size() ? 0 : 10;
      cost += i > 0 && order[i].choice != order[i - 1].choice ? 100 : 0;
    }
    return cost;
  };
  const Solution after = improve_sequential(whole.problem(), before, Deadline::max(), makespan);
  CHECK(after.makespan_us == makespan(after.order));
  CHECK(after.makespan_us <= makespan(before.order));
  REQUIRE(after.order.size() == before.order.size());
  for (size_t i = 0; i < after.order.size(); ++i) {
    CHECK(after.order[i].task == before.order[i].task);
    CHECK(after.order[i].after_previous == before.order[i].after_previous);
  }
  const Solution none = improve_sequential(whole.problem(), before, Deadline(), makespan);
  CHECK(none.makespan_us == makespan(before.order));
}

TEST_CASE("Tasks that are faster on another unit only if all move there are moved together") {
  Problem problem;
  problem.units.resize(2);
  problem.lanes.resize(2);
  problem.lanes[1].unit = 1;
  for (uint32_t task = 0; task < 3; ++task) {
    Task& added = problem.tasks.emplace_back();
    for (uint32_t lane = 0; lane < 2; ++lane) {
      Part& part = added.choices.emplace_back().parts.emplace_back();
      part.lane = lane;
      part.us = 1;
    }
  }
  const auto makespan = [](const std::vector<Decision>& order) {
    uint32_t moved = 0;
    for (const Decision& decision : order) moved += decision.choice;
    return moved == 0 ? 3.0 : moved == order.size() ? 1.0 : 5.0;
  };
  const Solution before{{{0, 0, true}, {1, 0, true}, {2, 0, true}}, 3};
  const Solution after = improve_sequential(problem, before, Deadline::max(), makespan);
  CHECK(after.makespan_us == 1);
  for (const Decision& decision : after.order) CHECK(decision.choice == 1);
}

}  // namespace
}  // namespace nestrt::test
