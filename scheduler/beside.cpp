#include "scheduler/beside.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scheduler/bounds.h"
#include "scheduler/methods.h"
#include "scheduler/schedule_steps.h"
#include "scheduler/side_by_side.h"

namespace nestrt::scheduler {
namespace {

// More of the units' time than need be.
constexpr double kExcess = 0.1;

// What is simulated: more tell little more.
constexpr double kMostOthers = 4;
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

// The problem without ways that take too much of the units' time.
class ThriftyPlacements {
 public:
  ThriftyPlacements(const Problem& problem, const std::vector<double>& scarcity)
      : problem_(problem), original_(problem.tasks.size()) {
    for (uint32_t task = 0; task < problem.tasks.size(); ++task) {
      const std::vector<Choice>& choices = problem.tasks[task].choices;
      // One that is whole, and possible in any case, is always left.
      double least = std::numeric_limits<double>::infinity();
      const Choice* whole = nullptr;
      double least_whole = std::numeric_limits<double>::infinity();
      for (const Choice& choice : choices) {
        const double load = load_of(problem, choice, scarcity);
        least = std::min(least, load);
        if (!is_whole(choice) || load >= least_whole) continue;
        least_whole = load;
        whole = &choice;
      }
      problem_.tasks[task].choices.clear();
      for (uint32_t choice = 0; choice < choices.size(); ++choice) {
        const bool is_thrifty = load_of(problem, choices[choice], scarcity) <= least * (1 + kExcess);
        if (!is_thrifty && &choices[choice] != whole) continue;
        problem_.tasks[task].choices.push_back(choices[choice]);
        original_[task].push_back(choice);
      }
    }
  }

  const Problem& problem() const { return problem_; }

  Solution to_original(Solution solution) const {
    for (Decision& decision : solution.order) decision.choice = original_[decision.task][decision.choice];
    return solution;
  }

 private:
  Problem problem_;
  std::vector<std::vector<uint32_t>> original_;  // by task and choice
};

}  // namespace

Solved solve_beside(const Problem& problem, std::span<const double> others, ScheduleMethod method,
                    std::chrono::microseconds budget) {
  if (method != ScheduleMethod::kOptimum || others.empty()) return solve(problem, method, budget);
  const auto share = budget / 3;
  Solved best = solve(problem, method, share);
  const double wanted = std::accumulate(others.begin(), others.end(), 0.0) / static_cast<double>(others.size());
  const auto sessions = static_cast<size_t>(std::lround(std::clamp(wanted, 1.0, kMostOthers)));
  double best_us = turn_us(problem, best.solution, sessions);
  const auto consider = [&](Solution other) {
    const double other_us = turn_us(problem, other, sessions);
    const bool takes_less = busiest_us(problem, other) < busiest_us(problem, best.solution);
    if (other_us >= best_us * (takes_less ? kInStep : 1 / kInStep)) return;
    best_us = other_us;
    best.solution = std::move(other);
  };
  const ThriftyPlacements thrifty(problem, scarcity_beside(problem, others));
  consider(thrifty.to_original(solve(thrifty.problem(), method, share).solution));
  consider(solve(problem, ScheduleMethod::kThroughput, share).solution);
  return best;
}

}  // namespace nestrt::scheduler
