// UnitHealth: which of a session's units can be relied on, and how often they could not.
//
// Threads: all members from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string_view>

#include "nestrt/unit.h"

namespace nestrt {

class UnitHealth {
 public:
  explicit UnitHealth(const UnitList& units) : units_(units), failing_(units.size()) {}

  // A unit failed a step. Logs the first of a series.
  void failed(uint32_t unit, const Status& why);
  // Afterwards the unit touches no memory, whatever it was at. Errors: those of Unit::reset.
  Status stop(uint32_t unit) { return units_[unit]->reset(); }
  void recovered(uint32_t unit) { failing_[unit].store(false, std::memory_order_release); }
  bool is_failing(uint32_t unit) const { return failing_[unit].load(std::memory_order_acquire); }
  // Bit u stands for unit u, of the first 64.
  uint64_t failing() const;

  // A step that the host computed in place of another unit.
  void count_healed() { healed_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t healed() const { return healed_.load(std::memory_order_relaxed); }

 private:
  const UnitList& units_;
  std::deque<std::atomic<bool>> failing_;  // by unit: since its last success
  std::atomic<uint64_t> healed_{0};
};

}  // namespace nestrt
