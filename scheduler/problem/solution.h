// SPDX-License-Identifier: Apache-2.0
// Solution: an ordered list of the scheduling decisions for a problem.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

struct Decision {
  uint32_t task = 0;
  uint32_t choice = 0;
  // No part of this task starts until the previous decision's task is complete and its output is visible to the unit.
  bool after_previous = false;
};

// Decisions in an order that respects the graph. Each lane runs its parts in this order.
struct Solution {
  std::vector<Decision> order;
  double makespan_us = std::numeric_limits<double>::infinity();
};

}  // namespace nestrt::scheduler
