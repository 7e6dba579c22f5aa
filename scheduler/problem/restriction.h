// SPDX-License-Identifier: Apache-2.0
// A problem restricted to some of its choices, with a mapping of its solutions to the original problem.
#pragma once

#include <vector>

#include "runtime/core/function_ref.h"
#include "scheduler/problem/solution.h"

namespace nestrt::scheduler {

class Restriction {
 public:
  using Keeps = FunctionRef<bool(uint32_t task, uint32_t choice)>;

  // Requires: for each task, `keeps` accepts at least one choice whose sharing is 0 or kAnySharing.
  Restriction(Problem problem, Keeps keeps);

  const Problem& problem() const { return problem_; }
  // Returns whether all choices have been kept.
  bool has_all_choices() const { return has_all_choices_; }
  // Converts a solution to a solution of the original problem.
  Solution to_original(Solution solution) const;

 private:
  Problem problem_;
  std::vector<std::vector<uint32_t>> original_;  // by task and choice
  bool has_all_choices_ = true;
};

// Drops the choices that split a task among several units.
Restriction without_divided_tasks(const Problem& problem);

// Keeps the host and the first `count` accelerators. A task that only other units can compute keeps all of its choices.
Restriction with_fewer_units(const Problem& problem, size_t count);

}  // namespace nestrt::scheduler
