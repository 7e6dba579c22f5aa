// SPDX-License-Identifier: Apache-2.0
#include "runtime/adaptation/unit_prober.h"

#include "runtime/core/clock.h"
#include "runtime/platform/guard.h"

namespace nestrt {

UnitProber::UnitProber(const UnitList& units, UnitHealth& health, std::shared_ptr<Clock> clock,
                       SteadyClock::duration interval)
    : units_(units), health_(health), clock_(std::move(clock)), times_(units.size(), interval) {}

std::optional<SteadyClock::time_point> UnitProber::next() {
  for (uint32_t unit = 0; unit < units_.size(); ++unit)
    times_.set_failing(unit, health_.is_failing(unit), now_by(clock_.get()));
  return times_.next();
}

void UnitProber::probe_due_units() {
  for (uint32_t unit = 0; unit < units_.size(); ++unit) {
    if (!times_.is_due(unit, now_by(clock_.get()))) continue;
    const bool works = guarded([&] { return units_[unit]->probe(); }).ok();
    if (works) health_.record_recovery(unit);
    times_.record_probe(unit, works, now_by(clock_.get()));
  }
}

}  // namespace nestrt
