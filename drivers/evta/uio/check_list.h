// SPDX-License-Identifier: Apache-2.0
// CheckList: performs steps in order and records their results for the user.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "drivers/evta/driver/component.h"
#include "runtime/platform/guard.h"

namespace nestrt::evta {

class CheckList {
 public:
  // Performs a step that returns what it found, as a Result<std::string>.
  template <typename Step>
  void add(std::string what, Step&& step) {
    if (is_stopped_at_failure_ && has_failed()) {
      checks_.push_back({std::move(what), "", Status(Code::kCancelled, "skipped, because a previous step failed")});
      return;
    }
    const Result<std::string> found = guarded([&]() -> Result<std::string> { return step(); });
    checks_.push_back({std::move(what), found ? *found : "", found ? Status() : found.error()});
  }
  // Sets the advice of the last step.
  void advise(std::string advice) { checks_.back().advice = std::move(advice); }
  // Skips the following steps, with kCancelled, if one has failed.
  void stop_at_failure() { is_stopped_at_failure_ = true; }
  bool has_failed() const {
    return std::ranges::any_of(checks_, [](const BoardCheck& check) { return !check.status.ok(); });
  }
  std::vector<BoardCheck> take() { return std::move(checks_); }

 private:
  bool is_stopped_at_failure_ = false;
  std::vector<BoardCheck> checks_;
};

}  // namespace nestrt::evta
