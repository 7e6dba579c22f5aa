// SPDX-License-Identifier: Apache-2.0
#include "runtime/execution/unit_health.h"

#include <fmt/core.h>

#include <algorithm>

#include "nestrt/log.h"
#include "runtime/platform/guard.h"

namespace nestrt {
namespace {

// Number of steps that bypass a unit, as powers of two: after its first failure, and maximum.
constexpr uint32_t kInitialBypassLog2 = 5, kMaxBypassLog2 = 16;

}  // namespace

uint32_t UnitHealth::count_failure(uint32_t unit) {
  UnitState& state = states_[unit];
  const uint32_t before = state.failures.fetch_add(1, std::memory_order_relaxed);
  state.steps_to_bypass.store(1u << std::min(kInitialBypassLog2 + before, kMaxBypassLog2), std::memory_order_relaxed);
  return before;
}

void UnitHealth::record_missed_deadline(uint32_t unit, const Status& why) {
  if (count_failure(unit) > 0) return;
  attempt([&] {
    log(LogLevel::kWarning,
        fmt::format("a run missed its deadline waiting for unit '{}': {}", units_[unit]->info().name, why.message()));
  });
}

void UnitHealth::record_failure(uint32_t unit, const Status& why, bool has_fallback) {
  if (states_[unit].failing.exchange(true, std::memory_order_acq_rel)) return;
  static_cast<void>(count_failure(unit));
  changes_.fetch_add(1, std::memory_order_acq_rel);
  attempt([&] {
    const char* const consequence = has_fallback ? "the CPU runs its steps" : "no other unit can run its steps";
    log(LogLevel::kWarning, fmt::format("unit '{}' failed; {} until it works again: {}", units_[unit]->info().name,
                                        consequence, why.message()));
  });
}

uint64_t UnitHealth::failing() const {
  uint64_t failing = 0;
  for (uint32_t unit = 0; unit < states_.size() && unit < 64; ++unit)
    if (is_failing(unit)) failing |= uint64_t{1} << unit;
  return failing;
}

void UnitHealth::record_recovery(uint32_t unit) {
  if (states_[unit].failing.exchange(false, std::memory_order_acq_rel))
    changes_.fetch_add(1, std::memory_order_acq_rel);
}

void UnitHealth::record_complete_run(uint32_t unit) {
  UnitState& state = states_[unit];
  if (state.failures.load(std::memory_order_relaxed) == 0) return;
  state.failures.store(0, std::memory_order_relaxed);
  state.steps_to_bypass.store(0, std::memory_order_relaxed);
}

bool UnitHealth::should_bypass(uint32_t unit) {
  std::atomic<uint32_t>& left = states_[unit].steps_to_bypass;
  uint32_t count = left.load(std::memory_order_relaxed);
  return count > 0 && left.compare_exchange_strong(count, count - 1, std::memory_order_relaxed);
}

}  // namespace nestrt
