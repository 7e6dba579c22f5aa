#include "runtime/session/unit_health.h"

#include <algorithm>

#include "nestrt/log.h"
#include "runtime/core/text.h"

namespace nestrt {

void UnitHealth::failed(uint32_t unit, const Status& why) {
  if (failing_[unit].exchange(true, std::memory_order_acq_rel)) return;
  log(LogLevel::kWarning, text("the CPU computes what unit '", units_[unit]->info().name,
                               "' does not, until it works again: ", why.message()));
}

bool UnitHealth::any_failing() const {
  return std::any_of(failing_.begin(), failing_.end(), [](const auto& failing) { return failing.load(); });
}

}  // namespace nestrt
