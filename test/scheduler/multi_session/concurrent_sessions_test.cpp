// SPDX-License-Identifier: Apache-2.0
#include "scheduler/multi_session/concurrent_sessions.h"

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
using scheduler::ConcurrentRun;
using scheduler::Part;
using scheduler::Problem;
using scheduler::round_problem;
using scheduler::RoundPart;
using scheduler::run_concurrently;
using scheduler::SessionFigures;
using scheduler::Solution;
using scheduler::solve;
using scheduler::Task;
using scheduler::to_schedule;
using scheduler::UnitQueue;
using scheduler::VirtualSession;

constexpr auto kNoBudget = std::chrono::hours(24);  // results do not depend on the clock

// Sets the limits of the resources that an accelerator and four cores share, as in boards/zcu102.yaml.
void share_cores(Problem& problem) {
  problem.host_cores = 4;
  problem.units[1].awake_us = 60;
  problem.waits = {100, 15};
}

// Returns a chain of tasks. Each runs for the given time on the host or, if that is 0, on the accelerator.
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

// Sessions with one schedule each. The problems must outlive this object.
class Sessions {
 public:
  void add(const Problem& problem, const Solution& solution, bool urgent = false) {
    schedules_.push_back(to_schedule(problem, solution));
    sessions_.push_back({problem, schedules_.back(), urgent});
  }
  void add(const Problem& problem, bool urgent = false) {
    add(problem, solve(problem, ScheduleMethod::kOptimum, kNoBudget).solution, urgent);
  }
  ConcurrentRun run(size_t inferences = 100) const {
    const auto result = run_concurrently(sessions_, inferences);
    if (!result) FAIL(result.error().to_string());
    return *result;
  }

 private:
  std::deque<Schedule> schedules_;
  std::vector<VirtualSession> sessions_;
};

// Returns SqueezeNet and ResNet-50 with random costs.
std::vector<Problem> two_networks(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Problem> problems = {network_problem(squeezenet_graph(), 2, true, random),
                                   network_problem(resnet50_graph(), 2, true, random)};
  for (Problem& problem : problems) share_cores(problem);
  return problems;
}

}  // namespace

TEST_CASE("Sessions that use the same unit all the time alternate") {
  const Problem problem = chain({{0, 100}});
  Sessions sessions;
  for (int i = 0; i < 3; ++i) sessions.add(problem);
  const ConcurrentRun run = sessions.run();
  for (const SessionFigures& session : run.sessions) {
    CHECK(session.alone_us == Approx(100));
    CHECK(session.median_us == Approx(300));
    CHECK(session.longest_us == Approx(300));
    CHECK(session.per_second == Approx(1e6 / 300).epsilon(0.02));
  }
  CHECK(run.bound_fraction == Approx(1).epsilon(0.02));
}

TEST_CASE("Sessions share the host's cores evenly unless one is urgent") {
  const Problem problem = chain({{1000, 0}, {0, 10}});
  Sessions even, urgent;
  for (int i = 0; i < 2; ++i) {
    even.add(problem);
    urgent.add(problem, i == 0);
  }
  for (const SessionFigures& session : even.run().sessions) CHECK(session.median_us == Approx(2000).epsilon(0.02));
  const ConcurrentRun run = urgent.run(20);
  CHECK(run.sessions[0].longest_us <= 1.02 * run.sessions[0].alone_us);
  CHECK(run.sessions[1].median_us > 20 * run.sessions[1].alone_us);
  CHECK(run.sessions[1].per_second > 0);
}

TEST_CASE("An urgent session never waits if the programs of others fit between its own") {
  const Problem urgent = chain({{1000, 0}, {0, 10}}), other = chain({{0, 400}});
  Sessions sessions;
  sessions.add(urgent, true);
  sessions.add(other);
  const ConcurrentRun run = sessions.run();
  CHECK(run.sessions[0].longest_us == Approx(run.sessions[0].alone_us));
  CHECK(run.sessions[1].per_second == Approx(2 * run.sessions[0].per_second).epsilon(0.05));
}

TEST_CASE(
    "An urgent session waits occasionally for programs that do not fit, so that the other session does not starve") {
  constexpr double kProgram = 1500;
  const Problem urgent = chain({{1000, 0}, {0, 10}}), other = chain({{0, kProgram}});
  Sessions sessions;
  sessions.add(urgent, true);
  sessions.add(other);
  const ConcurrentRun run = sessions.run();
  const double alone = run.sessions[0].alone_us;
  CHECK(run.sessions[0].median_us == Approx(alone));
  CHECK(run.sessions[0].longest_us > alone);
  CHECK(run.sessions[0].longest_us <= alone + kProgram);
  CHECK(run.sessions[1].per_second * UnitQueue::kMaxPassed == Approx(run.sessions[0].per_second).epsilon(0.05));
}

TEST_CASE("A program that fits no gap of an urgent session starts in the widest gap") {
  constexpr double kProgram = 1500;
  const Problem urgent = chain({{100, 0}, {0, 10}, {100, 0}, {0, 10}, {1000, 0}, {0, 10}});
  const Problem other = chain({{0, kProgram}});
  Sessions sessions;
  sessions.add(urgent, true);
  sessions.add(other);
  const ConcurrentRun run = sessions.run(200);
  const double alone = run.sessions[0].alone_us;
  CHECK(run.sessions[0].median_us == Approx(alone));
  CHECK(run.sessions[0].longest_us > alone);
  CHECK(run.sessions[0].longest_us <= alone + kProgram - 1000 + 1);
}

TEST_CASE("An urgent network is at most 10 % slower with another network running") {
  for (const uint32_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    const std::vector<Problem> networks = two_networks(seed);
    for (size_t urgent = 0; urgent < networks.size(); ++urgent) {
      Sessions sessions;
      sessions.add(networks[urgent], true);
      sessions.add(networks[1 - urgent]);
      const ConcurrentRun run = sessions.run(20);
      CHECK(run.sessions[0].median_us <= 1.1 * run.sessions[0].alone_us);
      CHECK(run.sessions[1].per_second > 0);
    }
  }
}

TEST_CASE("Two networks balanced together reach at least 85 % of the bound") {
  for (const uint32_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    const std::vector<Problem> networks = two_networks(seed);
    const RoundPart parts[] = {{networks[0]}, {networks[1]}};
    const std::vector<Solution> solutions = balance_together(parts, kNoBudget);
    Sessions sessions;
    for (int i = 0; i < 4; ++i)
      for (size_t network = 0; network < networks.size(); ++network)
        sessions.add(networks[network], solutions[network]);
    const double bound_fraction = sessions.run(40).bound_fraction;
    CHECK(bound_fraction >= 0.85);
    CHECK(bound_fraction <= 1 + 1e-9);
  }
}

TEST_CASE("The load bound of a round grows with its inferences and is at most the sum of the networks' bounds") {
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

TEST_CASE("Sessions on different units or without steps are rejected") {
  const Problem problem = chain({{0, 100}}), nothing = chain({});
  Problem other = problem;
  other.units.push_back({false, {}});
  const Schedule schedule = to_schedule(problem, solve(problem, ScheduleMethod::kOptimum, kNoBudget).solution), empty;
  const VirtualSession different[] = {{problem, schedule}, {other, schedule}}, idle[] = {{nothing, empty}};
  CHECK(run_concurrently(different, 20).error().code() == Code::kInvalidArgument);
  CHECK(run_concurrently(idle, 20).error().code() == Code::kInvalidArgument);
}

}  // namespace nestrt::test
