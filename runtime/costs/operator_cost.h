// SPDX-License-Identifier: Apache-2.0
// The components of branch_cost(): the cost of one operator with kernels, and the known cost of a program of
// instructions.
#pragma once

#include <optional>

#include "nestrt/driver/costs.h"

namespace nestrt {

// Returns the cost of one operator. If the cost of `channels` is unknown, uses their share of the operator's cost. If
// the number of threads is unknown, uses the next smaller known number. Errors: kNotFound.
Result<WorkCost> operator_cost(const CostTable& costs, const Plan& plan, uint32_t operator_index, const UnitKey& unit,
                               ChannelRange channels);

// Returns the cost of the program itself or of its operators. Returns nullopt if it is unknown; branch_cost() then uses
// the plan's cost. Requires: the indices of a program of instructions.
std::optional<WorkCost> known_program_cost(const CostTable& costs, const Plan& plan, uint32_t branch, uint32_t program,
                                           const UnitKey& unit);

}  // namespace nestrt
