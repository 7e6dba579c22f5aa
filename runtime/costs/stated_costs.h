// SPDX-License-Identifier: Apache-2.0
// The costs that a plan states for the board that it was compiled for: costs of the host's kernels, and overheads.
#pragma once

#include <span>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt {

// Returns the costs for these units, with the source kModelled.
CostTable stated_costs(const Plan& plan, std::span<const UnitInfo> units);

}  // namespace nestrt
