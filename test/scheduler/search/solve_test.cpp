// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/solve.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/plan/queries/channels.h"
#include "scheduler/problem/joins.h"
#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/bounds.h"
#include "scheduler/search/list_schedule.h"
#include "scheduler/search/methods.h"
#include "scheduler/search/search.h"
#include "scheduler/simulation/virtual_time.h"
#include "test/scheduler/problems.h"
#include "test/support/plan/network_graphs.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using scheduler::Problem;
using scheduler::Solved;

constexpr auto kForever = std::chrono::hours(100);
// Relative rounding difference between sums of the same times in a different order.
constexpr double kRounding = 1e-9;

double makespan(const Problem& problem, ScheduleMethod method) {
  return scheduler::solve(problem, method, kForever).solution.makespan_us;
}

// For each pair of steps, returns whether the second always starts after the first has ended.
std::vector<std::vector<bool>> orders_of(const Schedule& schedule) {
  const size_t count = schedule.steps.size();
  std::vector<std::vector<bool>> after(count, std::vector<bool>(count, false));
  for (uint32_t step = 0; step < count; ++step) {
    const auto follow = [&](uint32_t before) {
      after[before][step] = true;
      for (uint32_t other = 0; other < before; ++other) after[other][step] = after[other][step] || after[other][before];
    };
    for (uint32_t before = 0; before < step; ++before)
      if (schedule.steps[before].lane == schedule.steps[step].lane) follow(before);
    for (uint32_t wait : schedule.steps[step].waits) follow(wait);
  }
  return after;
}

// Checks that lanes and waits order every task after its inputs, that no wait is redundant, and that virtual time
// agrees.
void check_schedule(const Problem& problem, const scheduler::Solution& solution) {
  const Schedule schedule = to_schedule(problem, solution);
  const auto run = run_in_virtual_time(problem, schedule);
  REQUIRE(run);
  REQUIRE(run->makespan_us == Approx(solution.makespan_us).epsilon(kRounding));
  REQUIRE(schedule.lanes[0].unit == 0);
  const auto after = orders_of(schedule);
  for (uint32_t step = 0; step < schedule.steps.size(); ++step) {
    for (uint32_t before = 0; before < step; ++before) {
      const auto& inputs = problem.tasks[schedule.steps[step].branch].inputs;
      scheduler::Part part, written;
      part.channels = schedule.steps[step].channels;
      written.channels = schedule.steps[before].channels;
      if (std::any_of(inputs.begin(), inputs.end(), [&](const scheduler::TaskInput& input) {
            return problem.tasks[input.task].branch == schedule.steps[before].branch && reads(input, part, written);
          }))
        REQUIRE(after[before][step]);
    }
    for (size_t i = 0; i < schedule.steps[step].waits.size(); ++i) {
      Schedule other = schedule;
      other.steps[step].waits.erase(other.steps[step].waits.begin() + static_cast<std::ptrdiff_t>(i));
      REQUIRE(orders_of(other) != after);
    }
  }
}

void check_against_brute_force(const ProblemKind& kind, uint32_t seed, int repetitions) {
  std::mt19937 random(seed);
  for (int i = 0; i < repetitions; ++i) {
    const Problem problem = random_problem(kind, random);
    const Solved solved = scheduler::solve(problem, ScheduleMethod::kOptimum, kForever);
    CAPTURE(i);
    REQUIRE(solved.solution.makespan_us == Approx(brute_force_makespan(problem)).epsilon(kRounding));
    REQUIRE(solved.lower_bound_us == Approx(solved.solution.makespan_us).epsilon(kRounding));
    check_schedule(problem, solved.solution);
  }
}

TEST_CASE("The search finds the shortest schedule of random graphs on three units") {
  check_against_brute_force({.max_tasks = static_cast<uint32_t>(by_level(6, 8, 9))}, 1, by_level(40, 1000, 10000));
}

TEST_CASE("The search finds the shortest schedule if tasks may be split") {
  check_against_brute_force({.max_tasks = 5, .units = 2, .splits = true}, 2, by_level(20, 200, 2000));
}

TEST_CASE("The search finds the shortest schedule if tasks read other tasks' results channel by channel") {
  check_against_brute_force({.max_tasks = 4, .units = 2, .splits = true, .by_channel = true}, 8,
                            by_level(20, 200, 2000));
}

TEST_CASE("The search finds the shortest schedule if the CPU's cores may be divided") {
  check_against_brute_force({.max_tasks = 6, .units = 2, .sharings = true}, 3, by_level(20, 200, 2000));
}

TEST_CASE("The search finds the shortest schedule of graphs with joins") {
  check_against_brute_force({.max_tasks = 7, .units = 2, .joins = true}, 9, by_level(40, 400, 4000));
  check_against_brute_force({.max_tasks = 5, .units = 2, .splits = true, .joins = true}, 10, by_level(20, 200, 2000));
  check_against_brute_force({.max_tasks = 6, .units = 2, .sharings = true, .joins = true}, 11, by_level(20, 200, 2000));
}

TEST_CASE("A method is never slower than a simpler one, nor than one unit") {
  std::mt19937 random(4);
  for (int i = 0; i < by_level(5, 50, 1000); ++i) {
    const Problem problem = random_problem({.max_tasks = 10, .splits = true, .sharings = true}, random);
    const double sequential = makespan(problem, ScheduleMethod::kSequential);
    const double paper = makespan(problem, ScheduleMethod::kGroupEnumeration);
    double on_cpu = 0;
    for (const scheduler::Task& task : problem.tasks) on_cpu += task.choices[0].parts[0].us;
    REQUIRE(sequential <= on_cpu * (1 + kRounding));
    REQUIRE(paper <= sequential * (1 + kRounding));
    REQUIRE(makespan(problem, ScheduleMethod::kOptimum) <= paper * (1 + kRounding));
    const Solved hasty = scheduler::solve(problem, ScheduleMethod::kOptimum, std::chrono::microseconds(0));
    REQUIRE(hasty.solution.makespan_us <= on_cpu * (1 + kRounding));
    REQUIRE(hasty.lower_bound_us <= hasty.solution.makespan_us);
    for (auto method : {ScheduleMethod::kSequential, ScheduleMethod::kGroupEnumeration, ScheduleMethod::kOptimum,
                        ScheduleMethod::kThroughput})
      check_schedule(problem, scheduler::solve(problem, method, kForever).solution);
  }
}

TEST_CASE("The sequential placement is the fastest placement that runs one task at a time") {
  std::mt19937 random(5);
  for (int i = 0; i < by_level(20, 200, 2000); ++i) {
    const Problem problem = random_problem({.max_tasks = 6}, random);
    double best = std::numeric_limits<double>::infinity();
    std::vector<scheduler::Decision> order(problem.tasks.size());
    for (uint32_t task = 0; task < order.size(); ++task) order[task] = {task, 0, true};
    for (bool more = true; more;) {
      best = std::min(best, scheduler::evaluate(problem, order).makespan_us);
      more = false;
      for (scheduler::Decision& decision : order) {
        more = ++decision.choice < problem.tasks[decision.task].choices.size();
        if (more) break;
        decision.choice = 0;
      }
    }
    REQUIRE(makespan(problem, ScheduleMethod::kSequential) == Approx(best).epsilon(kRounding));
  }
}

TEST_CASE("Identical units have the same bound as one unit with their total speed") {
  // Returns tasks for a host and either one accelerator that runs some of them 4 times as fast, or several accelerators
  // with the same total speed.
  const auto problem_with = [](uint32_t accelerators) {
    Problem problem;
    problem.units.push_back({true, {}});
    problem.lanes.push_back({0});
    for (uint32_t unit = 1; unit <= accelerators; ++unit) {
      problem.units.push_back({false, {}});
      problem.lanes.push_back({unit});
    }
    for (uint32_t index = 0; index < 12; ++index) {
      scheduler::Task& task = problem.tasks.emplace_back();
      task.branch = index;
      if (index > 0) task.inputs = {{index - 1}};
      for (uint32_t lane = 0; lane <= accelerators; ++lane) {
        scheduler::Part part;
        part.lane = lane;
        part.us = lane == 0 ? 100 + 20 * index : (25 + 30 * (index % 3)) * accelerators;
        task.choices.push_back({{part}, lane == 0 ? 0 : scheduler::kAnySharing});
      }
    }
    return problem;
  };
  const Problem one = problem_with(1);
  for (const uint32_t accelerators : {2U, 3U, 4U}) {
    const Problem several = problem_with(accelerators);
    CHECK(scheduler::load_bound_us(several) == Approx(scheduler::load_bound_us(one)).epsilon(1e-6));
    CHECK(scheduler::additive_bound_us(several) == Approx(scheduler::additive_bound_us(one)).epsilon(1e-6));
    CHECK(scheduler::load_bound_us(several) <= scheduler::additive_bound_us(several) * (1 + 1e-9));
  }
}

TEST_CASE("Loads for throughput are within 10 % of the minimum") {
  std::mt19937 random(6);
  for (int i = 0; i < by_level(20, 200, 2000); ++i) {
    const Problem problem = random_problem({.max_tasks = 9}, random);
    const Solved solved = scheduler::solve(problem, ScheduleMethod::kThroughput, kForever);
    const auto loads = loads_of(problem, to_schedule(problem, solved.solution));
    REQUIRE(loads);
    const double load = std::ranges::max(loads->units_us), least = brute_force_load(problem);
    REQUIRE(load >= least * (1 - kRounding));
    REQUIRE(load <= least * 1.1);
    REQUIRE(scheduler::load_bound_us(problem) <= least * (1 + kRounding));
  }
}

// Returns branches that take equally long on both units. Two branches take 40 on one unit, or 20 plus transfers on
// both.
Problem branches(uint32_t count) {
  Problem problem;
  problem.units = {{true, {}}, {false, {1, 2, 0}}};
  problem.lanes = {{0}, {1}};
  for (uint32_t index = 0; index < count + 2; ++index) {
    scheduler::Task& task = problem.tasks.emplace_back();
    task.branch = index;
    scheduler::Part part;
    part.us = index > 0 && index <= count ? 20 : 1;
    task.choices.push_back({{part}, 0});
    part.lane = part.program = 1;
    if (part.us == 20) task.choices.push_back({{part}, scheduler::kAnySharing});
  }
  for (uint32_t branch = 1; branch <= count; ++branch) {
    problem.tasks[branch].inputs = {{0, 100}};
    problem.tasks[count + 1].inputs.push_back({branch, 100});
  }
  return problem;
}

TEST_CASE("Two branches on two units take the time of one branch, the start and the finish") {
  const Problem problem = branches(2);
  CHECK(makespan(problem, ScheduleMethod::kSequential) == 42);
  CHECK(makespan(problem, ScheduleMethod::kGroupEnumeration) == 25);
  const Solved best = scheduler::solve(problem, ScheduleMethod::kOptimum, kForever);
  CHECK(best.solution.makespan_us == 25);
  CHECK(additive_bound_us(problem) == Approx(22));
  const Schedule schedule = to_schedule(problem, best.solution);
  const auto run = run_in_virtual_time(problem, schedule);
  REQUIRE(run);
  CHECK(num_concurrent_groups(problem, schedule, *run) == 1);
}

TEST_CASE("The paper's method does not use a unit that would only make branches slower") {
  Problem problem = branches(3);
  const double without = makespan(problem, ScheduleMethod::kGroupEnumeration);
  problem.units.push_back({false, {1, 2, 0}});
  problem.lanes.push_back({2});
  for (scheduler::Task& task : problem.tasks) {
    scheduler::Part slow;
    slow.us = 1000;
    slow.lane = slow.program = 2;
    task.choices.push_back({{slow}, scheduler::kAnySharing});
  }
  CHECK(makespan(problem, ScheduleMethod::kGroupEnumeration) == without);
  CHECK(without < makespan(problem, ScheduleMethod::kSequential));
}

// Returns two tasks in two parts each. The parts of the first take 10 each, those of the second take 7. The second task
// reads the first. Undivided tasks are too slow to be chosen.
Problem two_divided_tasks(bool by_channel) {
  Problem problem;
  problem.units = {{true, {}}, {false, {1, 2, 0}}};
  problem.lanes = {{0}, {1}};
  for (uint32_t index = 0; index < 2; ++index) {
    scheduler::Task& task = problem.tasks.emplace_back();
    task.branch = index;
    scheduler::Part first, second;
    first.us = second.us = index == 0 ? 10 : 7;
    first.lane = first.program = 1;
    first.channels = {0, 50};
    second.channels = {50, 100};
    scheduler::Part whole;
    whole.us = 100;
    task.choices = {{{whole}, 0}, {{first, second}, 0}};
    if (index == 0) continue;
    first.lane = first.program = 0;
    task.choices.push_back({{second, first}, 0});
  }
  problem.tasks[1].inputs = {{0, 100, by_channel}};
  keep_barriers(problem);
  return problem;
}

TEST_CASE("A task that reads channel by channel waits only for its own channels") {
  const auto solved = [](const Problem& problem) {
    return scheduler::solve(problem, ScheduleMethod::kOptimum, kForever).solution;
  };
  Problem problem = two_divided_tasks(false);
  CHECK(solved(problem).makespan_us == 10 + 2 + 7);  // the CPU waits for the unit to finish
  problem = two_divided_tasks(true);
  CHECK(solved(problem).makespan_us == 17);
  problem.tasks[1].choices.erase(problem.tasks[1].choices.begin() + 1);
  CHECK(solved(problem).makespan_us == 24);  // in two parts on the CPU: the first while the unit finishes
  check_schedule(problem, solved(problem));
}

// Returns two layers that can be split between the CPU and an accelerator at any of three positions. The second layer
// reads the first channel by channel and takes up to twenty times as long, regardless of the split.
Problem unevenly_divided(std::mt19937& random) {
  constexpr uint32_t kChannels = 64;
  std::uniform_real_distribution<double> logarithm(0, 3);
  Problem problem;
  problem.units.resize(2);
  problem.units[0].is_host = true;
  problem.lanes = {{0}, {1}};
  for (uint32_t index = 0; index < 2; ++index) {
    scheduler::Task& task = problem.tasks.emplace_back();
    task.branch = index;
    task.output = {1, kChannels, 1, 1};
    const auto part = [&](uint32_t lane, ChannelRange channels) {
      scheduler::Part made;
      made.lane = lane;
      made.us = std::exp(logarithm(random)) * (index + 1);
      made.channels = channels;
      made.output_share = share_of(task.output, channels);
      return made;
    };
    for (uint32_t lane = 0; lane < 2; ++lane) task.choices.push_back({{part(lane, {})}});
    for (uint32_t cut = 16; cut < kChannels; cut += 16)
      task.choices.push_back({{part(1, {0, cut}), part(0, {cut, kChannels})}, 0});
  }
  problem.tasks[1].inputs = {{0, 100, true}};
  keep_barriers(problem);
  return problem;
}

TEST_CASE("A slow task that reads its input channel by channel is still ordered after it") {
  std::mt19937 random(12);
  for (int i = 0; i < by_level(200, 1000, 10000); ++i) {
    const Problem problem = unevenly_divided(random);
    CAPTURE(i);
    check_schedule(problem, scheduler::list_schedule(problem, scheduler::Bounds(problem)));
    const Solved solved = scheduler::solve(problem, ScheduleMethod::kOptimum, kForever);
    check_schedule(problem, solved.solution);
    REQUIRE(solved.solution.makespan_us == Approx(brute_force_makespan(problem)).epsilon(kRounding));
  }
}

TEST_CASE("Tasks overlap channel by channel only if the separators stay the same") {
  // 0 -> {1 -> 2, 3} -> 4 -> 5 -> 6
  Problem problem;
  problem.tasks.resize(7);
  const std::vector<std::vector<uint32_t>> inputs = {{}, {0}, {1}, {0}, {2, 3}, {4}, {5}};
  for (uint32_t task = 0; task < inputs.size(); ++task)
    for (const uint32_t before : inputs[task]) problem.tasks[task].inputs.push_back({before, 1, true});
  const std::vector<uint32_t> all = scheduler::barriers(predecessors_of(problem));
  CHECK(all == std::vector<uint32_t>{0, 4, 5, 6});
  const auto kept = [&](const Problem& made, uint32_t task) { return made.tasks[task].inputs[0].by_channel; };
  Problem made = problem;
  keep_barriers(made);
  CHECK_FALSE(kept(made, 1));  // a barrier with a concurrent task
  CHECK(kept(made, 2));
  CHECK_FALSE(kept(made, 5));  // the branches come before
  CHECK(kept(made, 6));
  std::vector<uint32_t> left;
  for (const scheduler::Separator& separator : separators_of(made)) left.push_back(separator.barrier);
  CHECK(left == std::vector<uint32_t>{0, 4});
}

TEST_CASE("Networks are scheduled within bounds") {
  std::mt19937 random(7);
  for (const auto& graph : {squeezenet_graph(), googlenet_graph(), resnet50_graph(), nested_inception_graph()}) {
    for (bool splits : {false, true}) {
      const Problem problem = network_problem(graph, 2, splits, random);
      const Solved solved = scheduler::solve(problem, ScheduleMethod::kOptimum, std::chrono::microseconds(0));
      CHECK(solved.lower_bound_us <= solved.solution.makespan_us);
      CHECK(solved.solution.makespan_us <= solved.lower_bound_us * 1.25);
      check_schedule(problem, solved.solution);
    }
  }
}

TEST_CASE("Decisions and their schedule have the same makespan, with and without shared limits") {
  std::mt19937 random(11);
  ProblemKind kind;
  kind.splits = kind.sharings = kind.by_channel = kind.joins = true;
  for (int i = 0; i < 50; ++i) {
    CAPTURE(i);
    Problem problem = random_problem(kind, random);
    for (const ScheduleMethod method :
         {ScheduleMethod::kSequential, ScheduleMethod::kGroupEnumeration, ScheduleMethod::kOptimum}) {
      const scheduler::Solution solution = scheduler::solve(problem, method, kForever).solution;
      Problem shared = problem;
      shared.memory_mb_per_s = 0.5;
      shared.host_cores = 2;
      shared.waits = {3, 1};
      shared.units[1].awake_us = 2;
      for (const Problem* each : {&problem, &shared}) {
        const auto run = run_in_virtual_time(*each, to_schedule(*each, solution));
        REQUIRE(run);
        CHECK(makespan_in_virtual_time(*each, solution.order) == Approx(run->makespan_us).epsilon(kRounding));
      }
    }
  }
}

TEST_CASE("Virtual time rejects schedules that do not match the problem") {
  const Problem problem = branches(2);
  Schedule schedule =
      to_schedule(problem, scheduler::solve(problem, ScheduleMethod::kGroupEnumeration, kForever).solution);
  Schedule other = schedule;
  other.steps[0].lane = 9;
  CHECK_FALSE(run_in_virtual_time(problem, other));
  other = schedule;
  other.steps[1].branch = 77;
  CHECK_FALSE(run_in_virtual_time(problem, other));
  other = schedule;
  other.steps[2].program = 5;
  CHECK_FALSE(run_in_virtual_time(problem, other));
  other = schedule;
  std::swap(other.steps[0], other.steps[3]);
  CHECK_FALSE(run_in_virtual_time(problem, other));
  other = schedule;
  other.steps[0].waits = {3};
  CHECK_FALSE(run_in_virtual_time(problem, other));
}

}  // namespace
}  // namespace nestrt::test
