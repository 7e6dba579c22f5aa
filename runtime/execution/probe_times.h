// ProbeTimes: when units that have failed are tried again: soon after the failure, then after twice as long each time,
// up to an interval. A unit that fails again before it has worked for as long as the interval goes on waiting from
// where it was: so one that only its probe finds in order is not trusted again and again.
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
  static constexpr int kFirstPart = 16;  // of the interval the first wait is this part

  ProbeTimes(size_t units, SteadyClock::duration interval);

  // What is known of a unit at that time; nothing happens where it was known before.
  void set_failing(size_t unit, bool is_failing, Time now);
  // A unit that was failing has been tried.
  void probed(size_t unit, bool works, Time now);

  bool is_due(size_t unit, Time now) const;
  // When the next unit is due; empty where none is failing.
  std::optional<Time> next() const;

 private:
  struct Entry {
    SteadyClock::duration wait{};
    std::optional<Time> due;           // while it is failing
    std::optional<Time> worked_since;  // since it last failed
  };
  SteadyClock::duration twice(SteadyClock::duration wait) const;

  SteadyClock::duration interval_;
  std::vector<Entry> entries_;  // by unit
};

}  // namespace nestrt
