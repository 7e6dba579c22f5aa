// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/rates.h"

#include <catch2/catch.hpp>

#include "scheduler/search/solve.h"
#include "scheduler/simulation/virtual_time.h"
#include "test/scheduler/problems.h"

namespace nestrt::test {
namespace {

using scheduler::Part;
using scheduler::Problem;

// Returns a host with four cores and two accelerators with one lane each. They share memory with 1000 bytes per
// microsecond.
Problem sharing_problem() {
  Problem problem;
  problem.units = {{true, {}}, {false, {}, 50}, {false, {}}};
  problem.lanes = {{0}, {1}, {2}};
  problem.memory_mb_per_s = 1000;
  problem.host_cores = 4;
  return problem;
}

Part part_on(uint32_t lane, double us, double bytes) {
  Part part;
  part.lane = lane;
  part.us = us;
  part.bytes = bytes;
  return part;
}

std::vector<double> rates_of(const Problem& problem, const std::vector<Part>& parts, double left_us = 100) {
  std::vector<scheduler::RunningPart> running;
  running.reserve(parts.size());
  for (const Part& part : parts) running.push_back({&part, left_us});
  return scheduler::Rates(problem).of(running);
}

TEST_CASE(
    "A step that needs less than an equal share of the memory bandwidth gets what it needs, and the others share the "
    "rest") {
  const Problem problem = sharing_problem();
  const std::vector<double> enough = rates_of(problem, {part_on(0, 100, 60'000), part_on(1, 100, 40'000)});
  CHECK(enough == std::vector<double>{1, 1});
  const std::vector<double> short_of =
      rates_of(problem, {part_on(0, 100, 80'000), part_on(1, 100, 20'000), part_on(2, 100, 60'000)});
  CHECK(short_of[0] == Approx(0.5));
  CHECK(short_of[1] == 1);
  CHECK(short_of[2] == Approx(2.0 / 3));
}

TEST_CASE("A step that runs alone has its full rate at any memory traffic") {
  CHECK(rates_of(sharing_problem(), {part_on(0, 100, 1e6)}) == std::vector<double>{1});
}

TEST_CASE("Urgent steps take precedence on the host's cores and leave 1 % to others") {
  const Problem problem = sharing_problem();
  const auto rates_of_host = [&](int urgent_threads, double left_us_on_unit) -> std::vector<double> {
    Part urgent = part_on(0, 100, 0), other = part_on(0, 100, 0), on_unit = part_on(1, 100, 0);
    urgent.threads = urgent_threads;
    const std::vector<scheduler::RunningPart> running = {
        {&urgent, 100, true}, {&other, 100}, {&on_unit, left_us_on_unit}};
    return scheduler::Rates(problem).of(running);
  };
  CHECK(rates_of_host(2, 100) == std::vector<double>{1, 0.5, 1});
  CHECK(rates_of_host(2, 50) == std::vector<double>{1, 0.25, 1});  // with one polling thread
  const std::vector<double> all = rates_of_host(4, 100);
  CHECK(all[0] == Approx(0.99));
  CHECK(all[1] == Approx(0.01));
}

TEST_CASE("A polling thread uses one of the host's cores") {
  const Problem problem = sharing_problem();
  const std::vector<Part> parts = {part_on(0, 100, 0), part_on(1, 100, 0)};
  CHECK(rates_of(problem, parts, 60) == std::vector<double>{1, 1});
  CHECK(rates_of(problem, parts, 50) == std::vector<double>{0.8, 1});
  std::vector<Part> on_three = parts;
  on_three[0].threads = 3;
  CHECK(rates_of(problem, on_three, 50) == std::vector<double>{1, 1});
}

// Returns two independent tasks, one on the host and one on the accelerator.
Problem two_tasks() {
  Problem problem = sharing_problem();
  for (const uint32_t lane : {0U, 1U}) {
    scheduler::Task& task = problem.tasks.emplace_back();
    task.branch = lane;
    task.is_result = true;
    task.choices = {{{part_on(lane, 100, 80'000)}, lane == 0 ? 0 : scheduler::kAnySharing}};
  }
  return problem;
}

Schedule both_steps(const std::vector<uint32_t>& waits = {}) {
  Schedule schedule;
  schedule.lanes = {{0}, {1}};
  schedule.steps = {{0, {}, 0, 0, 0, 100, {}}, {1, {}, 0, 1, 0, 100, waits}};
  return schedule;
}

double makespan(const Problem& problem, const Schedule& schedule) {
  const auto run = run_in_virtual_time(problem, schedule);
  REQUIRE(run);
  return run->makespan_us;
}

TEST_CASE("Steps that share memory are slower while both run") {
  Problem problem = two_tasks();
  problem.units[1].awake_us = 0;
  CHECK(makespan(problem, both_steps()) == Approx(160));  // 160,000 bytes at 1000 per microsecond
  problem.memory_mb_per_s = 0;
  CHECK(makespan(problem, both_steps()) == Approx(100));
  problem.tasks[0].choices[0].parts[0].us = 200;
  problem.tasks[1].choices[0].parts[0].bytes = 120'000;
  problem.memory_mb_per_s = 1000;
  // The host demands 400 and gets it. The unit demands 1000 and gets the remaining 600. After the unit ends, the host
  // runs alone.
  CHECK(makespan(problem, both_steps()) == Approx(200));
}

TEST_CASE("The host is slower while a thread polls for the end of a unit's step") {
  Problem problem = two_tasks();
  problem.memory_mb_per_s = 0;
  // The host computes 50 us at full rate, 50 us at 0.8, and the remaining 10 after the unit has ended.
  CHECK(makespan(problem, both_steps()) == Approx(110));
}

TEST_CASE("The host is slower while one of its cores finishes a unit's step") {
  Problem problem = two_tasks();
  problem.memory_mb_per_s = 0;
  problem.units[1].awake_us = 0;
  CHECK(makespan(problem, both_steps()) == Approx(100));
  for (auto& choice : problem.tasks[1].choices)
    for (Part& part : choice.parts) part.host_us = 50;
  CHECK(makespan(problem, both_steps()) == Approx(110));
}

TEST_CASE("A waiting lane uses a core before it sleeps and needs time to wake") {
  Problem problem = two_tasks();
  problem.memory_mb_per_s = 0;
  problem.units[1].awake_us = 0;
  problem.waits = {50, 15};
  const double host = 50 / 0.8 * 0.8 + 60;  // 50 us at 0.8 leave 60 of the host's 100
  CHECK(makespan(problem, both_steps({0})) == Approx(host + 15 + 100));
  problem.waits.awake_us = 1000;
  CHECK(makespan(problem, both_steps({0})) == Approx(125 + 100));
}

TEST_CASE("The schedule is the shortest under the limits of shared resources") {
  Problem problem = two_tasks();
  problem.units[1].awake_us = 0;
  // The unit is slightly faster, but together both tasks exceed the memory bandwidth.
  problem.tasks[1].choices = {{{part_on(0, 110, 1000)}, 0}, {{part_on(1, 100, 1e6)}, scheduler::kAnySharing}};
  problem.tasks[0].choices[0].parts[0].bytes = 1e6;
  const auto solved = scheduler::solve(problem, ScheduleMethod::kOptimum, std::chrono::hours(100));
  CHECK(solved.solution.makespan_us == Approx(200));
  problem.tasks[1].choices[1].parts[0].bytes = 2e6;
  problem.tasks[1].choices[1].parts[0].us = 120;
  const auto other = scheduler::solve(problem, ScheduleMethod::kOptimum, std::chrono::hours(100));
  CHECK(other.solution.makespan_us == Approx(210));
}

}  // namespace
}  // namespace nestrt::test
