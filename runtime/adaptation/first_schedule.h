// SPDX-License-Identifier: Apache-2.0
// The first schedule of a session.
#pragma once

#include <memory>
#include <span>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "runtime/costs/measurement/cost_cache.h"
#include "runtime/execution/unit_health.h"

namespace nestrt {

struct FirstSchedule {
  Schedule schedule;
  bool has_costs = false;
  CostTable costs;                         // used to compute the schedule, if any; also costs of kernels
  CostTable measured;                      // costs of these units, from the cost file or just measured
  std::shared_ptr<const CostCache> cache;  // stores learned costs; null: costs are not stored
};

// Computes a schedule with SessionOptions::schedule if there is a choice of units and costs are known or may be
// estimated or measured. Otherwise returns a schedule in file order.
// Reads CostOptions::file or the cache of learned costs. Completes an incomplete file, unless a unit fails during
// measurement. In that case the failure is recorded in `health` and the schedule does not use the unit.
// `infos` describes the units, including the programs that they reject.
// Errors: as for make_schedule, read_costs and measure_costs. If no unit can run a branch, the reason why a unit of
// another configuration rejects its program.
Result<FirstSchedule> make_first_schedule(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                          std::span<const UnitInfo> infos, const SessionOptions& options,
                                          UnitHealth& health);

}  // namespace nestrt
