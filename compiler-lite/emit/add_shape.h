// A plan for several shapes of inputs: the tables of each, and every constant once.
#pragma once

#include "compiler-lite/emit/assemble.h"

namespace nestrt::compiler {

// Makes `other` one of the shapes of `plan`. Constants that are equal to those of the plan are written once.
void add_shape(AssembledPlan& plan, AssembledPlan other);

}  // namespace nestrt::compiler
