// SPDX-License-Identifier: Apache-2.0
// Solution: the scheduling decisions for a problem, in order.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/problem/problem.h"

namespace nestrt::scheduler {

struct Decision {
  uint32_t task = 0;
  uint32_t choice = 0;
  // No part of the task starts before the task of the previous decision is complete and its output is visible to the
  // unit.
  bool after_previous = false;
};

// Decisions in an order that respects the graph. Each lane runs its parts in that order.
struct Solution {
  std::vector<Decision> order;
  double makespan_us = std::numeric_limits<double>::infinity();
};

}  // namespace nestrt::scheduler
