// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/restriction.h"

#include <algorithm>
#include <utility>

namespace nestrt::scheduler {

Restriction::Restriction(Problem problem, Keeps keeps)
    : problem_(std::move(problem)), original_(problem_.tasks.size()) {
  for (uint32_t task = 0; task < problem_.tasks.size(); ++task) {
    std::vector<Choice> all = std::exchange(problem_.tasks[task].choices, {});
    for (uint32_t choice = 0; choice < all.size(); ++choice) {
      if (!keeps(task, choice)) continue;
      problem_.tasks[task].choices.push_back(std::move(all[choice]));
      original_[task].push_back(choice);
    }
    has_all_choices_ = has_all_choices_ && original_[task].size() == all.size();
  }
}

Solution Restriction::to_original(Solution solution) const {
  for (Decision& decision : solution.order) decision.choice = original_[decision.task][decision.choice];
  return solution;
}

Restriction without_divided_tasks(const Problem& problem) {
  return {problem,
          [&](uint32_t task, uint32_t choice) { return problem.tasks[task].choices[choice].parts.size() == 1; }};
}

Restriction with_fewer_units(const Problem& problem, size_t count) {
  std::vector<bool> is_kept(problem.units.size());
  for (size_t unit = 0, accelerators = 0; unit < problem.units.size(); ++unit)
    is_kept[unit] = problem.units[unit].is_host || accelerators++ < count;
  const auto is_possible = [&](const Choice& choice) {
    return std::ranges::all_of(choice.parts, [&](const Part& part) { return is_kept[problem.lanes[part.lane].unit]; });
  };
  return Restriction(problem, [&](uint32_t task, uint32_t choice) {
    const std::vector<Choice>& choices = problem.tasks[task].choices;
    return is_possible(choices[choice]) || std::ranges::none_of(choices, is_possible);
  });
}

}  // namespace nestrt::scheduler
