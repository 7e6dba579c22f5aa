#include "runtime/session/unit_health.h"

#include <fmt/core.h>

#include "nestrt/log.h"
#include "runtime/core/guard.h"

namespace nestrt {

void UnitHealth::failed(uint32_t unit, const Status& why) {
  if (failing_[unit].exchange(true, std::memory_order_acq_rel)) return;
  attempt([&] {
    log(LogLevel::kWarning, fmt::format("the CPU computes what unit '{}' does not, until it works again: {}",
                                        units_[unit]->info().name, why.message()));
  });
}

uint64_t UnitHealth::failing() const {
  uint64_t failing = 0;
  for (uint32_t unit = 0; unit < failing_.size() && unit < 64; ++unit)
    if (is_failing(unit)) failing |= uint64_t{1} << unit;
  return failing;
}

}  // namespace nestrt
