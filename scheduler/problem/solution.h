// SPDX-License-Identifier: Apache-2.0
// Solution: the decisions that schedule a problem, in order.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

struct Decision {
  uint32_t task = 0;
  uint32_t choice = 0;
  // Nothing of the task starts before the previous decision's task is complete and visible to the unit.
  bool after_previous = false;
};

// Decisions in an order that respects the graph. Lanes run their parts in that order.
struct Solution {
  std::vector<Decision> order;
  double makespan_us = std::numeric_limits<double>::infinity();
};

}  // namespace nestrt::scheduler
