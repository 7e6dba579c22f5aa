// The parts of branch_cost(): what one operator costs by kernels, and what costs know of a program of instructions.
#pragma once

#include <optional>

#include "nestrt/driver/costs.h"

namespace nestrt {

// Of `channels`, where nothing else is known, their share of the whole; of fewer threads than the unit's the most.
// Errors: kNotFound.
Result<WorkCost> operator_cost(const CostTable& costs, const Plan& plan, uint32_t operator_index, const UnitKey& unit,
                               ChannelRange channels);

// By itself, or by its operators; nothing where the costs know nothing, and branch_cost() asks the plan.
// Requires: the indices of a program of instructions.
std::optional<WorkCost> known_program_cost(const CostTable& costs, const Plan& plan, uint32_t branch, uint32_t program,
                                           const UnitKey& unit);

}  // namespace nestrt
