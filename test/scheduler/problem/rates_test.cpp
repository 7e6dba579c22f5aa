#include "scheduler/problem/rates.h"

#include <catch2/catch.hpp>

#include "scheduler/search/solve.h"
#include "scheduler/simulation/virtual_time.h"
#include "test/scheduler/problems.h"

namespace nestrt::test {
namespace {

using scheduler::Part;
using scheduler::Problem;

// A host of four cores and two units beside it, a lane each, that share memory of 1000 bytes a microsecond.
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

TEST_CASE("Who wants less than an even share of the memory's rate gets it, and the others share the rest") {
  const Problem problem = sharing_problem();
  const std::vector<double> enough = rates_of(problem, {part_on(0, 100, 60'000), part_on(1, 100, 40'000)});
  CHECK(enough == std::vector<double>{1, 1});
  const std::vector<double> short_of =
      rates_of(problem, {part_on(0, 100, 80'000), part_on(1, 100, 20'000), part_on(2, 100, 60'000)});
  CHECK(short_of[0] == Approx(0.5));
  CHECK(short_of[1] == 1);
  CHECK(short_of[2] == Approx(2.0 / 3));
}

TEST_CASE("A part alone is as fast as it is alone, whatever it moves") {
  CHECK(rates_of(sharing_problem(), {part_on(0, 100, 1e6)}) == std::vector<double>{1});
}

TEST_CASE("Urgent parts have the host's cores before others, which keep a hundredth") {
  const Problem problem = sharing_problem();
  const auto rates_of_host = [&](int urgent_threads, double left_us_on_unit) -> std::vector<double> {
    Part urgent = part_on(0, 100, 0), other = part_on(0, 100, 0), on_unit = part_on(1, 100, 0);
    urgent.threads = urgent_threads;
    const std::vector<scheduler::RunningPart> running = {
        {&urgent, 100, true}, {&other, 100}, {&on_unit, left_us_on_unit}};
    return scheduler::Rates(problem).of(running);
  };
  CHECK(rates_of_host(2, 100) == std::vector<double>{1, 0.5, 1});
  CHECK(rates_of_host(2, 50) == std::vector<double>{1, 0.25, 1});  // with one who waits
  const std::vector<double> all = rates_of_host(4, 100);
  CHECK(all[0] == Approx(0.99));
  CHECK(all[1] == Approx(0.01));
}

TEST_CASE("Who waits without sleeping takes part of the host's cores") {
  const Problem problem = sharing_problem();
  const std::vector<Part> parts = {part_on(0, 100, 0), part_on(1, 100, 0)};
  CHECK(rates_of(problem, parts, 60) == std::vector<double>{1, 1});
  CHECK(rates_of(problem, parts, 50) == std::vector<double>{0.8, 1});
  std::vector<Part> on_three = parts;
  on_three[0].threads = 3;
  CHECK(rates_of(problem, on_three, 50) == std::vector<double>{1, 1});
}

// A task on the host, and one on the unit beside it, side by side.
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

Schedule side_by_side(const std::vector<uint32_t>& waits = {}) {
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

TEST_CASE("Steps that share memory take longer while both run") {
  Problem problem = two_tasks();
  problem.units[1].awake_us = 0;
  CHECK(makespan(problem, side_by_side()) == Approx(160));  // 160,000 bytes at 1000 a microsecond
  problem.memory_mb_per_s = 0;
  CHECK(makespan(problem, side_by_side()) == Approx(100));
  problem.tasks[0].choices[0].parts[0].us = 200;
  problem.tasks[1].choices[0].parts[0].bytes = 120'000;
  problem.memory_mb_per_s = 1000;
  // The host wants 400, which it gets; the unit 1000 of the 600 that are left. After it the host is alone.
  CHECK(makespan(problem, side_by_side()) == Approx(200));
}

TEST_CASE("The host is slower while a unit's waiter looks for the end without sleeping") {
  Problem problem = two_tasks();
  problem.memory_mb_per_s = 0;
  // 50 us at full rate, 50 at 0.8, and the 10 that are left when the unit has ended.
  CHECK(makespan(problem, side_by_side()) == Approx(110));
}

TEST_CASE("The host is slower while a core of its works on what a unit has computed") {
  Problem problem = two_tasks();
  problem.memory_mb_per_s = 0;
  problem.units[1].awake_us = 0;
  CHECK(makespan(problem, side_by_side()) == Approx(100));
  for (auto& choice : problem.tasks[1].choices)
    for (Part& part : choice.parts) part.host_us = 50;
  CHECK(makespan(problem, side_by_side()) == Approx(110));
}

TEST_CASE("A lane that waits takes a core before it sleeps, and time to wake after") {
  Problem problem = two_tasks();
  problem.memory_mb_per_s = 0;
  problem.units[1].awake_us = 0;
  problem.waits = {50, 15};
  const double host = 50 / 0.8 * 0.8 + 60;  // 50 us at 0.8 leave 60 of the host's 100
  CHECK(makespan(problem, side_by_side({0})) == Approx(host + 15 + 100));
  problem.waits.awake_us = 1000;
  CHECK(makespan(problem, side_by_side({0})) == Approx(125 + 100));
}

TEST_CASE("Where units share what runs short, the schedule is the one that takes least then") {
  Problem problem = two_tasks();
  problem.units[1].awake_us = 0;
  // The unit is a little faster, but both together have too little memory.
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
