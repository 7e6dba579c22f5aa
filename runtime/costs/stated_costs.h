// What a plan says of the board that it was compiled for: costs of the host's kernels, and overheads.
#pragma once

#include <span>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt {

// Of units like these, as modelled.
CostTable stated_costs(const Plan& plan, std::span<const UnitInfo> units);

}  // namespace nestrt
