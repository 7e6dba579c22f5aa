// Leaving out programs for parts of layers where a plan may not have as many streams of instructions as there are
// (runtime/plan/verify/operand_uses.h): small networks on many units have more pieces than anybody gains by.
#pragma once

#include <vector>

#include "compiler-lite/emit/assemble.h"

namespace nestrt::compiler {

// Of the layer that gains least by being divided, the one whose longest program takes the fewest modelled cycles, every
// piece is removed; the first of several. False where no layer has pieces.
bool drop_partial_programs(std::vector<BranchPrograms>& programs);

}  // namespace nestrt::compiler
