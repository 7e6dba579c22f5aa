// SPDX-License-Identifier: Apache-2.0
// Costs for tests: every operator has the same cost.
#pragma once

#include <memory>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/costs/unit_key.h"

namespace nestrt::test {

// Returns costs of us(unit) microseconds on each unit, with any number of its threads.
template <typename Us>
std::shared_ptr<const CostTable> flat_costs(const Plan& plan, const UnitList& units, Us us) {
  auto costs = std::make_shared<CostTable>();
  for (const auto& unit : units)
    for (int threads = 1; threads <= unit->info().num_threads; ++threads)
      for (uint32_t op = 0; op < plan.tables().operators.size(); ++op)
        costs->set(key_of(unit->info(), threads), work_name(plan, op, key_of(unit->info(), threads)),
                   {static_cast<double>(us(unit->info())), CostSource::kMeasured});
  return costs;
}

}  // namespace nestrt::test
