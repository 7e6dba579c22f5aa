#include "scheduler/beside.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "scheduler/bounds.h"
#include "scheduler/methods.h"

namespace nestrt::scheduler {
namespace {

// More of the units' time than need be.
constexpr double kExcess = 0.1;

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

// How long an inference takes beside so many others like it, about: it waits for each of them where it is the longest
// on one unit (after the approximate mean value analysis of P. Schweitzer, 1979).
double turn_us(const Problem& problem, const Solution& solution, double others) {
  std::vector<double> loads(problem.units.size(), 0);
  for (const Decision& decision : solution.order)
    for (const Part& part : problem.tasks[decision.task].choices[decision.choice].parts)
      loads[problem.lanes[part.lane].unit] += part.us * part.unit_share;
  return solution.makespan_us + others * *std::max_element(loads.begin(), loads.end());
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
  const double sessions = std::accumulate(others.begin(), others.end(), 0.0) / static_cast<double>(others.size());
  const auto consider = [&](Solution other) {
    if (turn_us(problem, other, sessions) < turn_us(problem, best.solution, sessions)) best.solution = std::move(other);
  };
  const ThriftyPlacements thrifty(problem, scarcity_beside(problem, others));
  consider(thrifty.to_original(solve(thrifty.problem(), method, share).solution));
  consider(solve(problem, ScheduleMethod::kThroughput, share).solution);
  return best;
}

}  // namespace nestrt::scheduler
