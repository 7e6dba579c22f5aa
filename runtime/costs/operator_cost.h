// What one operator costs by kernels, as branch_cost() counts it.
#pragma once

#include "nestrt/costs.h"

namespace nestrt {

// Of `channels`, where nothing else is known, their share of the whole; of fewer threads than the unit's the most.
// Errors: kNotFound.
Result<WorkCost> operator_cost(const CostTable& costs, const Plan& plan, uint32_t operator_index, const UnitKey& unit,
                               ChannelRange channels);

}  // namespace nestrt
