// SPDX-License-Identifier: Apache-2.0
// The costs that a plan contains for the board for which it was compiled: kernel costs of the host, and overheads.
#pragma once

#include <span>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/unit.h"
#include "nestrt/plan.h"

namespace nestrt {

// Returns the costs for these units, with the source kModelled.
CostTable stated_costs(const Plan& plan, std::span<const UnitInfo> units);

}  // namespace nestrt
