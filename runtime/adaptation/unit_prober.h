// SPDX-License-Identifier: Apache-2.0
// UnitProber: probes failed units at the times determined by ProbeTimes.
//
// Threads: one at a time.
#pragma once

#include <memory>
#include <optional>

#include "nestrt/driver/clock.h"
#include "nestrt/driver/unit.h"
#include "runtime/execution/probe_times.h"
#include "runtime/execution/unit_health.h"

namespace nestrt {

class UnitProber {
 public:
  // `units` and `health` must outlive this object. A null `clock` is the steady clock.
  UnitProber(const UnitList& units, UnitHealth& health, std::shared_ptr<Clock> clock, SteadyClock::duration interval);

  // Returns when the next probe is due, or nullopt if no unit is failing.
  std::optional<SteadyClock::time_point> next();
  // Probes the units that are due, and records those that work in `health`.
  void probe_due_units();

 private:
  const UnitList& units_;
  UnitHealth& health_;
  const std::shared_ptr<Clock> clock_;
  ProbeTimes times_;
};

}  // namespace nestrt
