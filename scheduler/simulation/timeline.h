// SPDX-License-Identifier: Apache-2.0
// Timeline: a schedule built step by step. Each task is appended to its lanes at its earliest possible start.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/problem/solution.h"

namespace nestrt::scheduler {

using PartEnds = std::array<double, kMaxParts>;  // by part of a choice

class Timeline {
 public:
  explicit Timeline(const Problem& problem);

  // Return or set the end times of the task's parts if the task is placed next. Require: the task's inputs have been
  // placed.
  PartEnds ends_of(Decision decision) const;
  void place(Decision decision);
  Solution solution() && { return {std::move(order_), makespan_}; }

 private:
  double start_of(Decision decision, const Part& part) const;
  double arrival_us(const TaskInput& input, const Part& part) const;

  const Problem& problem_;
  std::vector<Decision> order_;
  std::vector<uint32_t> choice_;  // by task
  std::vector<PartEnds> ends_;    // by task
  std::vector<double> free_;      // by lane
  double makespan_ = 0;
};

// Requires: `order` respects the graph.
Solution evaluate(const Problem& problem, const std::vector<Decision>& order);

}  // namespace nestrt::scheduler
