#include "runtime/execution/unit_health.h"

#include <fmt/core.h>

#include <algorithm>

#include "nestrt/log.h"
#include "runtime/platform/guard.h"

namespace nestrt {

namespace {

constexpr uint32_t kFirstAvoided = 5, kMaxAvoided = 16;  // powers of two

}  // namespace

uint32_t UnitHealth::count_failure(uint32_t unit) {
  UnitState& state = states_[unit];
  const uint32_t before = state.failures.fetch_add(1, std::memory_order_relaxed);
  state.to_avoid.store(1u << std::min(kFirstAvoided + before, kMaxAvoided), std::memory_order_relaxed);
  return before;
}

void UnitHealth::record_missed_deadline(uint32_t unit, const Status& why) {
  if (count_failure(unit) > 0) return;
  attempt([&] {
    log(LogLevel::kWarning,
        fmt::format("a run missed its deadline waiting for unit '{}': {}", units_[unit]->info().name, why.message()));
  });
}

void UnitHealth::failed(uint32_t unit, const Status& why, Substitute substitute) {
  if (states_[unit].failing.exchange(true, std::memory_order_acq_rel)) return;
  static_cast<void>(count_failure(unit));
  changes_.fetch_add(1, std::memory_order_acq_rel);
  attempt([&] {
    const char* const who = substitute == Substitute::kHost ? "the CPU computes" : "nobody else can compute";
    log(LogLevel::kWarning, fmt::format("{} what unit '{}' does not, until it works again: {}", who,
                                        units_[unit]->info().name, why.message()));
  });
}

uint64_t UnitHealth::failing() const {
  uint64_t failing = 0;
  for (uint32_t unit = 0; unit < states_.size() && unit < 64; ++unit)
    if (is_failing(unit)) failing |= uint64_t{1} << unit;
  return failing;
}

void UnitHealth::recovered(uint32_t unit) {
  if (states_[unit].failing.exchange(false, std::memory_order_acq_rel))
    changes_.fetch_add(1, std::memory_order_acq_rel);
}

void UnitHealth::trust(uint32_t unit) {
  UnitState& state = states_[unit];
  if (state.failures.load(std::memory_order_relaxed) == 0) return;
  state.failures.store(0, std::memory_order_relaxed);
  state.to_avoid.store(0, std::memory_order_relaxed);
}

bool UnitHealth::should_bypass(uint32_t unit) {
  std::atomic<uint32_t>& left = states_[unit].to_avoid;
  uint32_t count = left.load(std::memory_order_relaxed);
  return count > 0 && left.compare_exchange_strong(count, count - 1, std::memory_order_relaxed);
}

}  // namespace nestrt
