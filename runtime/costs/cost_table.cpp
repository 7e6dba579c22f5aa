// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/costs.h"

#include <iterator>

namespace nestrt {

void CostTable::set(const UnitKey& unit, std::string_view work, const WorkCost& cost) {
  units_[unit].insert_or_assign(std::string(work), cost);
}

const WorkCost* CostTable::find(const UnitKey& unit, std::string_view work) const {
  const auto works = units_.find(unit);
  if (works == units_.end()) return nullptr;
  const auto cost = works->second.find(work);
  return cost == works->second.end() ? nullptr : &cost->second;
}

void CostTable::set_overhead(const UnitKey& unit, const UnitOverhead& overhead) { overheads_[unit] = overhead; }

UnitOverhead CostTable::overhead(const UnitKey& unit) const {
  const auto after = overheads_.upper_bound(unit);
  if (after == overheads_.begin()) return {};
  const auto& [key, overhead] = *std::prev(after);
  return key.kind == unit.kind && key.configuration == unit.configuration ? overhead : UnitOverhead();
}

void CostTable::set_clock(const UnitKey& unit, double mhz) { clocks_[unit] = mhz; }

double CostTable::clock_mhz(const UnitKey& unit) const {
  const auto clock = clocks_.find(unit);
  return clock == clocks_.end() ? 0 : clock->second;
}

void CostTable::merge(const CostTable& other) {
  for (const auto& [unit, works] : other.units_)
    for (const auto& [work, cost] : works) set(unit, work, cost);
  for (const auto& [unit, overhead] : other.overheads_) overheads_[unit] = overhead;
  for (const auto& [unit, mhz] : other.clocks_) clocks_[unit] = mhz;
}

}  // namespace nestrt
