#include "scheduler/multi_session/contention_aware.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scheduler/multi_session/side_by_side.h"
#include "scheduler/problem/invalid_index.h"
#include "scheduler/problem/restriction.h"
#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/bounds.h"
#include "scheduler/search/methods.h"

namespace nestrt::scheduler {
namespace {

// More of the units' time than need be.
constexpr double kExcess = 0.1;

// What is simulated: more tell little more.
constexpr double kMaxOthers = 4;
constexpr size_t kInferences = 20;
// Sessions alike run in step, others do not: what differs by so much in a simulation may not beside others. Who takes
// less of the busiest unit is the better one then.
constexpr double kInStep = 1.05;

// What the others compute meanwhile, as one more task.
std::vector<double> scarcity_beside(const Problem& problem, std::span<const double> others) {
  const double inference_us = Bounds(problem).total_us();
  Problem all = problem;
  Choice choice;
  for (uint32_t lane = 0; lane < problem.lanes.size(); ++lane) {
    const uint32_t unit = problem.lanes[lane].unit;
    const bool is_first = lane == 0 || problem.lanes[lane - 1].unit != unit;
    if (!is_first || unit >= others.size()) continue;
    Part& part = choice.parts.emplace_back();
    part.lane = lane;
    part.us = others[unit] * inference_us;
  }
  all.tasks.emplace_back().choices.push_back(std::move(choice));
  return balancing_weights(all);
}

double load_of(const Problem& problem, const Choice& choice, const std::vector<double>& scarcity) {
  double load = 0;
  for (const Part& part : choice.parts) load += part.us * part.unit_share * scarcity[problem.lanes[part.lane].unit];
  return load;
}

// What an inference takes of the busiest unit.
double busiest_us(const Problem& problem, const Solution& solution) {
  const Result<Loads> loads = loads_of(problem, to_schedule(problem, solution));
  return loads ? std::ranges::max(loads->units_us) : std::numeric_limits<double>::infinity();
}

// How long an inference takes beside so many others like it. Simulated, as loads alone do not tell: what is divided
// waits for several units.
double turn_us(const Problem& problem, const Solution& solution, size_t others) {
  const Schedule schedule = to_schedule(problem, solution);
  const std::vector<VirtualSession> sessions(1 + others, {problem, schedule});
  const Result<SideBySide> together = run_side_by_side(sessions, kInferences);
  if (!together) return std::numeric_limits<double>::infinity();
  double per_second = 0;
  for (const SessionFigures& session : together->sessions) per_second += session.per_second;
  return 1e6 * static_cast<double>(sessions.size()) / per_second;
}

// What is thrifty of a task's choices, and one that is whole, and possible in any case.
struct Thrift {
  double most = 0;
  uint32_t whole = kInvalidIndex;
};

Thrift thrift_of(const Problem& problem, const Task& task, const std::vector<double>& scarcity) {
  Thrift thrift;
  double least = std::numeric_limits<double>::infinity(), least_whole = least;
  for (uint32_t choice = 0; choice < task.choices.size(); ++choice) {
    const double load = load_of(problem, task.choices[choice], scarcity);
    least = std::min(least, load);
    if (!is_whole(task.choices[choice]) || load >= least_whole) continue;
    least_whole = load;
    thrift.whole = choice;
  }
  thrift.most = least * (1 + kExcess);
  return thrift;
}

// The problem without ways that take too much of the units' time.
Restriction thrifty_placements(const Problem& problem, const std::vector<double>& scarcity) {
  std::vector<Thrift> thrifts;
  for (const Task& task : problem.tasks) thrifts.push_back(thrift_of(problem, task, scarcity));
  return Restriction(problem, [&](uint32_t task, uint32_t choice) {
    const double load = load_of(problem, problem.tasks[task].choices[choice], scarcity);
    return choice == thrifts[task].whole || load <= thrifts[task].most;
  });
}

}  // namespace

Solved solve_contention_aware(const Problem& problem, std::span<const double> others, ScheduleMethod method,
                              std::chrono::microseconds budget) {
  if (method != ScheduleMethod::kOptimum || others.empty()) return solve(problem, method, budget);
  const auto share = budget / 3;
  Solved best = solve(problem, method, share);
  const double wanted = std::accumulate(others.begin(), others.end(), 0.0) / static_cast<double>(others.size());
  const auto sessions = static_cast<size_t>(std::lround(std::clamp(wanted, 1.0, kMaxOthers)));
  double best_us = turn_us(problem, best.solution, sessions);
  const auto consider = [&](Solution other) {
    const double other_us = turn_us(problem, other, sessions);
    const bool takes_less = busiest_us(problem, other) < busiest_us(problem, best.solution);
    if (other_us >= best_us * (takes_less ? kInStep : 1 / kInStep)) return;
    best_us = other_us;
    best.solution = std::move(other);
  };
  const Restriction thrifty = thrifty_placements(problem, scarcity_beside(problem, others));
  consider(thrifty.to_original(solve(thrifty.problem(), method, share).solution));
  consider(solve(problem, ScheduleMethod::kThroughput, share).solution);
  return best;
}

}  // namespace nestrt::scheduler
