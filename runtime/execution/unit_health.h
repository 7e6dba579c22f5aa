// SPDX-License-Identifier: Apache-2.0
// UnitHealth: which of a session's units are reliable, and how often the host had to run steps for them.
//
// Threads: all members from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string_view>

#include "nestrt/driver/unit.h"

namespace nestrt {

class UnitHealth {
 public:
  explicit UnitHealth(const UnitList& units) : units_(units), states_(units.size()) {}

  // Records that a unit failed a step. `has_fallback`: the host runs the step instead. Logs the first failure in a
  // series.
  void record_failure(uint32_t unit, const Status& why, bool has_fallback = true);
  // Records that a run missed its deadline while waiting for a unit, which may still work. Logs the first such run
  // since the unit was last trusted.
  void record_missed_deadline(uint32_t unit, const Status& why);
  // Records that a probe of the unit succeeded.
  void record_recovery(uint32_t unit);
  // Records that the unit has run all of its steps in a run: it is trusted again.
  void record_complete_run(uint32_t unit);
  // Stops the unit, so that it no longer accesses memory. Errors: as for Unit::reset.
  Status stop(uint32_t unit) { return units_[unit]->reset(); }

  bool is_failing(uint32_t unit) const { return states_[unit].failing.load(std::memory_order_acquire); }
  // Returns a bit mask of the failing units among the first 64: bit u is unit u.
  uint64_t failing() const;
  // Returns how many times is_failing() of any unit has changed.
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // Returns whether a step should go straight to the host because its run has enough time for the host, but not for a
  // failure of the unit followed by the host. A successful probe is not enough, because it finds fewer faults than a
  // program does. After the n-th failure since the unit was last trusted, 2^(n+4) such steps bypass it before one uses
  // it.
  bool should_bypass(uint32_t unit);

  void count_host_fallback() { host_fallbacks_.fetch_add(1, std::memory_order_relaxed); }
  // Returns how many steps the host has run for other units.
  uint64_t num_host_fallbacks() const { return host_fallbacks_.load(std::memory_order_relaxed); }

 private:
  // Returns the number of failures before this one.
  uint32_t count_failure(uint32_t unit);

  struct UnitState {
    std::atomic<bool> failing{false};   // until a probe succeeds
    std::atomic<uint32_t> failures{0};  // since the unit was last trusted
    std::atomic<uint32_t> steps_to_bypass{0};
  };

  const UnitList& units_;
  std::deque<UnitState> states_;  // per unit
  std::atomic<uint64_t> changes_{0}, host_fallbacks_{0};
};

}  // namespace nestrt
