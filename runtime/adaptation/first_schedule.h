// The schedule that a session begins with.
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
  CostTable costs;                         // what it was made from, if it was; what is known of kernels
  CostTable measured;                      // of these units: those of the cost file, and those that were measured
  std::shared_ptr<const CostCache> cache;  // where to keep what is learned; null: nowhere
};

// By SessionOptions::schedule where there is a choice and costs are known, may be estimated or may be measured, else in
// file order. Reads SessionOptions::cost_file, or what sessions before have learned; writes the former where it was
// incomplete, but not where a unit failed while it was measured: that is told to `health`, and the schedule goes
// without it. `infos`: of the units, with what they refuse. Errors: those of make_schedule, read_costs, measure_costs;
// where no unit can run a branch, what one of another configuration says of its program.
Result<FirstSchedule> make_first_schedule(const std::shared_ptr<const Plan>& plan, const UnitList& units,
                                          std::span<const UnitInfo> infos, const SessionOptions& options,
                                          UnitHealth& health);

}  // namespace nestrt
