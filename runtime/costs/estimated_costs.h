// What is believed of work that nobody has measured.
#pragma once

#include <span>

#include "nestrt/costs.h"
#include "nestrt/plan.h"
#include "nestrt/unit.h"

namespace nestrt {

// Adds what is missing to schedule the plan on the units: of the host from arithmetic and memory of its operators, at
// the rates of a Cortex-A53; a program of another unit of which the plan says nothing costs as much as the host alone.
// The proportions among operators are what counts: runs soon show how fast the units are.
void add_estimates(const Plan& plan, std::span<const UnitInfo> units, CostTable& costs);

}  // namespace nestrt
