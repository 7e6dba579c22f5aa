// UnitHealth: which of a session's units can be relied on, and how often they could not.
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

  enum class Substitute { kHost, kInvalidIndex };
  // A unit failed a step, which the host computes for it, or nobody. Logs the first of a series.
  void failed(uint32_t unit, const Status& why, Substitute substitute = Substitute::kHost);
  // A run missed its deadline for a unit that may work nevertheless. Logs the first since it was last trusted.
  void record_missed_deadline(uint32_t unit, const Status& why);
  // Afterwards the unit touches no memory, whatever it was at. Errors: those of Unit::reset.
  Status stop(uint32_t unit) { return units_[unit]->reset(); }
  void recovered(uint32_t unit);
  // How often a unit has failed that had not before, or has recovered.
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  bool is_failing(uint32_t unit) const { return states_[unit].failing.load(std::memory_order_acquire); }
  // Bit u stands for unit u, of the first 64.
  uint64_t failing() const;

  // The unit has computed all of its steps of a run: it is trusted again.
  void trust(uint32_t unit);
  // Whether a step that the host can still compute in time, but not once the unit has failed it, goes past the unit: a
  // probe finds less than a program does. After the n-th failure since it was last trusted, 2^(n+4) steps do before one
  // asks.
  bool should_bypass(uint32_t unit);

  // A step that the host computed in place of another unit.
  void count_healed() { healed_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t healed() const { return healed_.load(std::memory_order_relaxed); }

 private:
  // Returns how many failures there were before.
  uint32_t count_failure(uint32_t unit);

  struct UnitState {
    std::atomic<bool> failing{false};   // until a probe finds that it works
    std::atomic<uint32_t> failures{0};  // since it was last trusted
    std::atomic<uint32_t> to_avoid{0};  // so many steps more go past it
  };

  const UnitList& units_;
  std::deque<UnitState> states_;  // by unit
  std::atomic<uint64_t> changes_{0}, healed_{0};
};

}  // namespace nestrt
