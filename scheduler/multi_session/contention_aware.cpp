// SPDX-License-Identifier: Apache-2.0
#include "scheduler/multi_session/contention_aware.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scheduler/multi_session/concurrent_sessions.h"
#include "scheduler/problem/invalid_index.h"
#include "scheduler/problem/restriction.h"
#include "scheduler/problem/schedule_steps.h"
#include "scheduler/search/bounds.h"
#include "scheduler/search/methods.h"

namespace nestrt::scheduler {
namespace {

// Tolerated excess over a task's smallest load.
constexpr double kMaxExcess = 0.1;

// Limits of the simulation. Larger values hardly change the result.
constexpr double kMaxOthers = 4;
constexpr size_t kInferences = 20;
// Identical sessions run in lockstep in a simulation, but not in reality. Smaller differences than this factor may
// vanish under real contention, so the solution with the smaller load of the busiest unit wins.
constexpr double kInStepFactor = 1.05;

// Returns a price for the time of each unit. The work of the other sessions counts as one additional task.
std::vector<double> unit_prices(const Problem& problem, std::span<const double> others) {
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

// Returns the time that one inference occupies the busiest unit.
double busiest_us(const Problem& problem, const Solution& solution) {
  const Result<Loads> loads = loads_of(problem, to_schedule(problem, solution));
  return loads ? std::ranges::max(loads->units_us) : std::numeric_limits<double>::infinity();
}

// Returns the mean time per inference under contention with `others` identical sessions. Simulates the sessions,
// because loads alone ignore that a split task waits for several units.
double contended_us(const Problem& problem, const Solution& solution, size_t others) {
  const Schedule schedule = to_schedule(problem, solution);
  const std::vector<VirtualSession> sessions(1 + others, {problem, schedule});
  const Result<ConcurrentRun> together = run_concurrently(sessions, kInferences);
  if (!together) return std::numeric_limits<double>::infinity();
  double per_second = 0;
  for (const SessionFigures& session : together->sessions) per_second += session.per_second;
  return 1e6 * static_cast<double>(sessions.size()) / per_second;
}

// The largest acceptable load of a task's choices. `whole`: the choice on a single unit with the smallest load, which
// is always kept.
struct LoadLimit {
  double most = 0;
  uint32_t whole = kInvalidIndex;
};

LoadLimit load_limit_of(const Problem& problem, const Task& task, const std::vector<double>& scarcity) {
  LoadLimit limit;
  double least = std::numeric_limits<double>::infinity(), least_whole = least;
  for (uint32_t choice = 0; choice < task.choices.size(); ++choice) {
    const double load = load_of(problem, task.choices[choice], scarcity);
    least = std::min(least, load);
    if (!is_whole(task.choices[choice]) || load >= least_whole) continue;
    least_whole = load;
    limit.whole = choice;
  }
  limit.most = least * (1 + kMaxExcess);
  return limit;
}

// Returns the problem without the choices that exceed the load limits.
Restriction low_load_placements(const Problem& problem, const std::vector<double>& scarcity) {
  std::vector<LoadLimit> limits;
  for (const Task& task : problem.tasks) limits.push_back(load_limit_of(problem, task, scarcity));
  return Restriction(problem, [&](uint32_t task, uint32_t choice) {
    const double load = load_of(problem, problem.tasks[task].choices[choice], scarcity);
    return choice == limits[task].whole || load <= limits[task].most;
  });
}

}  // namespace

Solved solve_contention_aware(const Problem& problem, std::span<const double> others, ScheduleMethod method,
                              std::chrono::microseconds budget) {
  if (method != ScheduleMethod::kOptimum || others.empty()) return solve(problem, method, budget);
  const auto share = budget / 3;
  Solved best = solve(problem, method, share);
  const double mean = std::accumulate(others.begin(), others.end(), 0.0) / static_cast<double>(others.size());
  const auto sessions = static_cast<size_t>(std::lround(std::clamp(mean, 1.0, kMaxOthers)));
  double best_us = contended_us(problem, best.solution, sessions);
  const auto consider = [&](Solution other) {
    const double other_us = contended_us(problem, other, sessions);
    const bool loads_less = busiest_us(problem, other) < busiest_us(problem, best.solution);
    if (other_us >= best_us * (loads_less ? kInStepFactor : 1 / kInStepFactor)) return;
    best_us = other_us;
    best.solution = std::move(other);
  };
  const Restriction low_load = low_load_placements(problem, unit_prices(problem, others));
  consider(low_load.to_original(solve(low_load.problem(), method, share).solution));
  consider(solve(problem, ScheduleMethod::kThroughput, share).solution);
  return best;
}

}  // namespace nestrt::scheduler
