// RecentWrites: what the last steps of one instruction wrote, which those right behind them do not see on hardware
// (drivers/evta/isa/design.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>

namespace nestrt::evta {

class RecentWrites {
 public:
  // `late_steps`: how many steps back a write is not seen.
  explicit RecentWrites(int late_steps) : late_steps_(static_cast<size_t>(late_steps)) {}

  // Whether this accumulator, about to be read, was written so lately. Writes of the operation with `same_source`,
  // where it is one that changes nothing the second time, do not count.
  bool has(size_t accumulator, std::optional<size_t> same_source = std::nullopt) const {
    return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
      return step.dst == accumulator && (!same_source || step.src != *same_source);
    });
  }

  // A step is over.
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
