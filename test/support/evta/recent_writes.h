// SPDX-License-Identifier: Apache-2.0
// RecentWrites: writes of the last steps of one instruction. The hardware's next steps do not see them
// (drivers/evta/isa/design.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>

namespace nestrt::evta {

class RecentWrites {
 public:
  // `late_steps`: number of steps before a write becomes visible.
  explicit RecentWrites(int late_steps) : late_steps_(static_cast<size_t>(late_steps)) {}

  // Returns whether a late step wrote this accumulator. Ignores writes from `same_source`, if given, because repeating
  // an idempotent operation changes nothing.
  bool has(size_t accumulator, std::optional<size_t> same_source = std::nullopt) const {
    return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
      return step.dst == accumulator && (!same_source || step.src != *same_source);
    });
  }

  // Records a completed step.
  void add(size_t dst, size_t src) {
    steps_.push_back({dst, src});
    if (steps_.size() > late_steps_) steps_.pop_front();
  }

 private:
  struct Step {
    size_t dst, src;
  };

  size_t late_steps_;
  std::deque<Step> steps_;
};

}  // namespace nestrt::evta
