// SPDX-License-Identifier: Apache-2.0
// ProbeTimes: schedules the probes of failed units: soon after the failure, then after delays that double up to an
// interval. If a unit fails again before it has worked for the whole interval, its delay continues to grow. A unit that
// only passes its probe is thus not trusted repeatedly.
//
// Threads: one at a time.
#pragma once

#include <optional>
#include <vector>

#include "nestrt/driver/event.h"

namespace nestrt {

class ProbeTimes {
 public:
  using Time = SteadyClock::time_point;
  static constexpr int kInitialDivisor = 16;  // the first delay is this fraction of the interval

  ProbeTimes(size_t units, SteadyClock::duration interval);

  // Records the state of a unit. Does nothing if the state has not changed.
  void set_failing(size_t unit, bool is_failing, Time now);
  // Records the result of probing a failing unit.
  void record_probe(size_t unit, bool works, Time now);

  bool is_due(size_t unit, Time now) const;
  // Returns when the next probe is due, or nullopt if no unit is failing.
  std::optional<Time> next() const;

 private:
  struct Entry {
    SteadyClock::duration wait{};
    std::optional<Time> due;           // set only while the unit is failing
    std::optional<Time> worked_since;  // since the last failure
  };
  SteadyClock::duration lengthen(SteadyClock::duration wait) const;

  SteadyClock::duration interval_;
  std::vector<Entry> entries_;  // per unit
};

}  // namespace nestrt
