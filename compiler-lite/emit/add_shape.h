// SPDX-License-Identifier: Apache-2.0
// Plans for several input shapes: separate tables per shape, shared constants.
#pragma once

#include "compiler-lite/emit/assemble.h"

namespace nestrt::compiler {

// Adds `other` as one of the shapes of `plan`. Constants that the plan already contains are shared.
void add_shape(AssembledPlan& plan, AssembledPlan other);

}  // namespace nestrt::compiler
