// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/stated_costs.h"

#include "nestrt/driver/plan_tables.h"

namespace nestrt {
namespace {

// Skips entries for more threads than the unit has.
void add_host_costs(const Plan& plan, const UnitInfo& host, CostTable& costs) {
  for (const plan::HostCosts& stated : plan.tables().host_costs) {
    const auto threads = static_cast<int>(stated.threads);
    if (stated.configuration != host.configuration || threads > host.num_threads) continue;
    const UnitKey key{host.kind, host.configuration, threads};
    for (uint32_t op = 0; op < stated.microseconds.size(); ++op)
      if (stated.microseconds[op] > 0)
        costs.set(key, work_name(plan, op, key), {stated.microseconds[op], CostSource::kModelled});
  }
}

}  // namespace

CostTable stated_costs(const Plan& plan, std::span<const UnitInfo> units) {
  CostTable costs;
  for (const UnitInfo& unit : units) {
    if (unit.is_host) add_host_costs(plan, unit, costs);
    for (const plan::Overhead& stated : plan.tables().overheads)
      if (stated.unit == unit.kind && stated.configuration == unit.configuration)
        costs.set_overhead({unit.kind, unit.configuration, static_cast<int>(stated.threads)},
                           {stated.start_us, stated.finish_us, stated.mb_per_s, stated.lane_us});
  }
  return costs;
}

}  // namespace nestrt
