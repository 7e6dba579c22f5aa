#include "scheduler/multi_session/side_by_side.h"

#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/bounds.h"
#include "scheduler/search/solve.h"
#include "scheduler/unit_queue.h"
#include "test/scheduler/problems.h"
#include "test/support/plan/network_graphs.h"

namespace nestrt::test {
namespace {

using scheduler::balance_together;
using scheduler::Part;
using scheduler::Problem;
using scheduler::round_problem;
using scheduler::RoundPart;
using scheduler::run_side_by_side;
using scheduler::SessionFigures;
using scheduler::SideBySide;
using scheduler::Solution;
using scheduler::solve;
using scheduler::Task;
using scheduler::to_schedule;
using scheduler::UnitQueue;
using scheduler::VirtualSession;

constexpr auto kNoBudget = std::chrono::hours(24);  // nothing depends on the clock

// What a unit beside the host and four cores share, as on boards/zcu102.yaml.
void share_cores(Problem& problem) {
  problem.host_cores = 4;
  problem.units[1].awake_us = 60;
  problem.waits = {100, 15};
}

// A task after the other: on the host for so long, or, where that is 0, on the unit beside it.
Problem chain(const std::vector<std::pair<double, double>>& host_and_unit_us) {
  Problem problem;
  problem.units = {{true, {}}, {false, {}}};
  problem.lanes = {{0}, {1}};
  problem.host_cores = 4;
  for (const auto& [host_us, unit_us] : host_and_unit_us) {
    const auto index = static_cast<uint32_t>(problem.tasks.size());
    Task& task = problem.tasks.emplace_back();
    task.branch = index;
    if (index > 0) task.inputs.push_back({index - 1, 0});
    Part part;
    part.lane = host_us > 0 ? 0 : 1;
    part.us = host_us > 0 ? host_us : unit_us;
    task.choices.push_back({{part}});
  }
  return problem;
}

// Sessions of problems that stay where they are, with schedules of their own.
class Sessions {
 public:
  void add(const Problem& problem, const Solution& solution, bool urgent = false) {
    schedules_.push_back(to_schedule(problem, solution));
    sessions_.push_back({problem, schedules_.back(), urgent});
  }
  void add(const Problem& problem, bool urgent = false) {
    add(problem, solve(problem, ScheduleMethod::kOptimum, kNoBudget).solution, urgent);
  }
  SideBySide run(size_t inferences = 100) const {
    const auto result = run_side_by_side(sessions_, inferences);
    if (!result) FAIL(result.error().to_string());
    return *result;
  }

 private:
  std::deque<Schedule> schedules_;
  std::vector<VirtualSession> sessions_;
};

// SqueezeNet and ResNet-50 with random costs.
std::vector<Problem> two_networks(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Problem> problems = {network_problem(squeezenet_graph(), 2, true, random),
                                   network_problem(resnet50_graph(), 2, true, random)};
  for (Problem& problem : problems) share_cores(problem);
  return problems;
}

}  // namespace

TEST_CASE("Sessions that want one unit all of the time get it in turn") {
  const Problem problem = chain({{0, 100}});
  Sessions sessions;
  for (int i = 0; i < 3; ++i) sessions.add(problem);
  const SideBySide run = sessions.run();
  for (const SessionFigures& session : run.sessions) {
    CHECK(session.alone_us == Approx(100));
    CHECK(session.median_us == Approx(300));
    CHECK(session.longest_us == Approx(300));
    CHECK(session.per_second == Approx(1e6 / 300).epsilon(0.02));
  }
  CHECK(run.of_bound == Approx(1).epsilon(0.02));
}

TEST_CASE("Sessions share the host's cores evenly, but for those that are urgent") {
  const Problem problem = chain({{1000, 0}, {0, 10}});
  Sessions even, urgent;
  for (int i = 0; i < 2; ++i) {
    even.add(problem);
    urgent.add(problem, i == 0);
  }
  for (const SessionFigures& session : even.run().sessions) CHECK(session.median_us == Approx(2000).epsilon(0.02));
  const SideBySide run = urgent.run(20);
  CHECK(run.sessions[0].longest_us <= 1.02 * run.sessions[0].alone_us);
  CHECK(run.sessions[1].median_us > 20 * run.sessions[1].alone_us);
  CHECK(run.sessions[1].per_second > 0);
}

TEST_CASE("An urgent session finds its unit free where others' programs fit between its own") {
  const Problem urgent = chain({{1000, 0}, {0, 10}}), other = chain({{0, 400}});
  Sessions sessions;
  sessions.add(urgent, true);
  sessions.add(other);
  const SideBySide run = sessions.run();
  CHECK(run.sessions[0].longest_us == Approx(run.sessions[0].alone_us));
  CHECK(run.sessions[1].per_second == Approx(2 * run.sessions[0].per_second).epsilon(0.05));
}

TEST_CASE("Where they do not fit an urgent session waits for one of them now and then, and the other is not starved") {
  constexpr double kProgram = 1500;
  const Problem urgent = chain({{1000, 0}, {0, 10}}), other = chain({{0, kProgram}});
  Sessions sessions;
  sessions.add(urgent, true);
  sessions.add(other);
  const SideBySide run = sessions.run();
  const double alone = run.sessions[0].alone_us;
  CHECK(run.sessions[0].median_us == Approx(alone));
  CHECK(run.sessions[0].longest_us > alone);
  CHECK(run.sessions[0].longest_us <= alone + kProgram);
  CHECK(run.sessions[1].per_second * UnitQueue::kMaxPassed == Approx(run.sessions[0].per_second).epsilon(0.05));
}

TEST_CASE("What fits into no gap of an urgent session begins in the widest") {
  constexpr double kProgram = 1500;
  const Problem urgent = chain({{100, 0}, {0, 10}, {100, 0}, {0, 10}, {1000, 0}, {0, 10}});
  const Problem other = chain({{0, kProgram}});
  Sessions sessions;
  sessions.add(urgent, true);
  sessions.add(other);
  const SideBySide run = sessions.run(200);
  const double alone = run.sessions[0].alone_us;
  CHECK(run.sessions[0].median_us == Approx(alone));
  CHECK(run.sessions[0].longest_us > alone);
  CHECK(run.sessions[0].longest_us <= alone + kProgram - 1000 + 1);
}

TEST_CASE("An urgent network takes hardly longer beside another one than alone") {
  for (const uint32_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    const std::vector<Problem> networks = two_networks(seed);
    for (size_t urgent = 0; urgent < networks.size(); ++urgent) {
      Sessions sessions;
      sessions.add(networks[urgent], true);
      sessions.add(networks[1 - urgent]);
      const SideBySide run = sessions.run(20);
      CHECK(run.sessions[0].median_us <= 1.1 * run.sessions[0].alone_us);
      CHECK(run.sessions[1].per_second > 0);
    }
  }
}

TEST_CASE("Two networks that are balanced together reach most of what the units can do") {
  for (const uint32_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    const std::vector<Problem> networks = two_networks(seed);
    const RoundPart parts[] = {{networks[0]}, {networks[1]}};
    const std::vector<Solution> solutions = balance_together(parts, kNoBudget);
    Sessions sessions;
    for (int i = 0; i < 4; ++i)
      for (size_t network = 0; network < networks.size(); ++network)
        sessions.add(networks[network], solutions[network]);
    const double of_bound = sessions.run(40).of_bound;
    CHECK(of_bound >= 0.85);
    CHECK(of_bound <= 1 + 1e-9);
  }
}

TEST_CASE("The bound of a round is at most the sum of the networks' bounds, and grows with its inferences") {
  for (const uint32_t seed : {1, 2, 3}) {
    const std::vector<Problem> networks = two_networks(seed);
    const auto bound = [&](double first, double second) {
      const RoundPart parts[] = {{networks[0], first}, {networks[1], second}};
      return scheduler::load_bound_us(round_problem(parts));
    };
    const double first = scheduler::load_bound_us(networks[0]), second = scheduler::load_bound_us(networks[1]);
    CHECK(bound(1, 0) == Approx(first));
    CHECK(bound(0, 3) == Approx(3 * second));
    CHECK(bound(2, 1) <= (2 * first + second) * (1 + 1e-9));
    CHECK(bound(2, 1) > std::max(2 * first, second));
  }
}

TEST_CASE("Sessions of other units, or without anything to do, are refused") {
  const Problem problem = chain({{0, 100}}), nothing = chain({});
  Problem other = problem;
  other.units.push_back({false, {}});
  const Schedule schedule = to_schedule(problem, solve(problem, ScheduleMethod::kOptimum, kNoBudget).solution), empty;
  const VirtualSession different[] = {{problem, schedule}, {other, schedule}}, idle[] = {{nothing, empty}};
  CHECK(run_side_by_side(different, 20).error().code() == Code::kInvalidArgument);
  CHECK(run_side_by_side(idle, 20).error().code() == Code::kInvalidArgument);
}

}  // namespace nestrt::test
