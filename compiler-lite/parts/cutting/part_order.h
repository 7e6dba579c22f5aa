// In which order parts can be computed, and why not where they cannot.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler-lite/parts/cutting/cut.h"
#include "compiler-lite/parts/cutting/quotient.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// By operator, its position among the parts; kNoPart where it is in none. Errors: kInvalidArgument, see cut().
Result<std::vector<uint32_t>> part_of_operators(const std::vector<PartSpec>& parts,
                                                const std::vector<ModelOperator>& operators);

// Puts every operator that is in none into new parts for the host, behind the others. Errors: kInvalidArgument where
// the parts have no order, see cut().
Status add_rest(std::vector<PartSpec>& parts, const std::vector<ModelOperator>& operators, const OperatorLinks& links);

// The positions of the parts in an order in which each comes after those that it reads from. Requires: add_rest().
std::vector<uint32_t> part_order(const std::vector<PartSpec>& parts, const std::vector<ModelOperator>& operators,
                                 const OperatorLinks& links);

}  // namespace nestrt::compiler
