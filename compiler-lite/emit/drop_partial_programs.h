// SPDX-License-Identifier: Apache-2.0
// Drops partial programs if a plan exceeds the limit of instruction streams (runtime/plan/verify/operand_uses.h). Small
// networks on many units can have more partial programs than are useful.
#pragma once

#include <vector>

#include "compiler-lite/emit/assemble.h"

namespace nestrt::compiler {

// Removes all partial programs of the layer that benefits least from division: the layer whose longest program needs
// the fewest modelled cycles (the first on a tie). Returns false if no layer has partial programs.
bool drop_partial_programs(std::vector<BranchPrograms>& programs);

}  // namespace nestrt::compiler
