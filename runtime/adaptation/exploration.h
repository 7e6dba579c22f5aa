// SPDX-License-Identifier: Apache-2.0
// Common parts of the policies that try alternatives during a session's runs: a time budget, a backoff, and the time of
// the next decision.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/adaptation/run_statistics.h"

namespace nestrt {

// The time budget of exploration. All other runs add a fraction of their time to it.
class ExplorationBudget {
 public:
  explicit ExplorationBudget(double fraction) : fraction_(fraction) {}

  void earn(double us) { left_us_ += us; }
  // Charges the time by which exploring runs exceeded the expected time without exploration.
  void charge(double us) { left_us_ -= std::max(0.0, us); }
  // Counts the runs added to the statistics of the schedule in use since the last call, or since restart().
  void count(const RunStatistics& statistics) {
    left_us_ += fraction_ * (statistics.total_us() - counted_us_);
    runs_ += statistics.runs() - counted_runs_;
    counted_us_ = statistics.total_us();
    counted_runs_ = statistics.runs();
  }
  // Must be called when the statistics of the schedule in use restart at zero.
  void restart() { counted_us_ = counted_runs_ = 0; }

  double left_us() const { return left_us_; }
  // Returns the number of counted runs, excluding exploring runs.
  uint64_t runs() const { return runs_; }
  // Return the counted runs and time of the statistics in use.
  uint32_t counted_runs() const { return counted_runs_; }
  double counted_us() const { return counted_us_; }
  // Returns the run time needed until the budget covers a cost of `us`; 0 if it already does.
  double earning_us(double us) const { return std::max(0.0, us - left_us_) / fraction_; }

 private:
  const double fraction_;
  double left_us_ = 0;
  uint64_t runs_ = 0;
  uint32_t counted_runs_ = 0;
  double counted_us_ = 0;
};

// A number of runs to wait that doubles up to a maximum.
class Backoff {
 public:
  constexpr Backoff(uint64_t initial, uint64_t max) : initial_(initial), max_(max), runs_(initial) {}

  uint64_t runs() const { return runs_; }
  void reset() { runs_ = initial_; }
  void lengthen() { runs_ = std::min(2 * runs_, max_); }

 private:
  uint64_t initial_, max_, runs_;
};

// When a policy decides next: after this number of runs or this much time, counted from the start of the statistics in
// use.
struct Due {
  uint32_t runs = std::numeric_limits<uint32_t>::max();
  double us = std::numeric_limits<double>::infinity();

  // Returns whether one of the limits is reached, or a unit's speed or the makespan has changed by more than the
  // fraction `drift`.
  bool is_reached(const RunStatistics& statistics, double drift) const {
    return statistics.runs() >= runs || statistics.total_us() >= us || statistics.has_changed(drift) ||
           statistics.has_other_makespans(drift);
  }
};

inline Due earlier(const Due& a, const Due& b) { return {std::min(a.runs, b.runs), std::min(a.us, b.us)}; }

}  // namespace nestrt
