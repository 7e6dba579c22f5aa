// SPDX-License-Identifier: Apache-2.0
// Computes the order of parts, or explains why none exists.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler-lite/parts/cutting/cut.h"
#include "compiler-lite/parts/cutting/quotient.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// Returns, by operator, the index of its part; kNoPart if it is in no part. Errors: kInvalidArgument, see cut().
Result<std::vector<uint32_t>> part_of_operators(const std::vector<PartSpec>& parts,
                                                const std::vector<ModelOperator>& operators);

// Appends new host parts for all operators in no part. Errors: kInvalidArgument if the parts have no order, see cut().
Status add_rest(std::vector<PartSpec>& parts, const std::vector<ModelOperator>& operators, const OperatorLinks& links);

// Returns the indices of the parts, each after the parts that it reads from. Requires: add_rest() was called.
std::vector<uint32_t> part_order(const std::vector<PartSpec>& parts, const std::vector<ModelOperator>& operators,
                                 const OperatorLinks& links);

}  // namespace nestrt::compiler
