// A problem with some of its choices only, and its solutions as those of the whole.
#pragma once

#include <vector>

#include "nestrt/driver/function_ref.h"
#include "scheduler/problem/solution.h"

namespace nestrt::scheduler {

class Restriction {
 public:
  using Keeps = FunctionRef<bool(uint32_t task, uint32_t choice)>;

  // Requires: `keeps` leaves each task one that it may have with sharing 0 or any.
  Restriction(Problem problem, Keeps keeps);

  const Problem& problem() const { return problem_; }
  // Whether nothing is left out.
  bool has_all_choices() const { return has_all_choices_; }
  // A solution of it as one of the problem that it was made from.
  Solution to_original(Solution solution) const;

 private:
  Problem problem_;
  std::vector<std::vector<uint32_t>> original_;  // by task and choice
  bool has_all_choices_ = true;
};

// Without what several units compute a part each of.
Restriction without_divided_tasks(const Problem& problem);

// Without the units beside the host but for the first so many, except for tasks that nobody else computes.
Restriction with_fewer_units(const Problem& problem, size_t count);

}  // namespace nestrt::scheduler
