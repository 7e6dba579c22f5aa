// SPDX-License-Identifier: Apache-2.0
// Operators that move elements without computing.
#pragma once

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Returns true for operators that select elements of their inputs, or the largest. They give the same result on
// integers as on the real numbers that these represent.
bool moves_elements(const Node& node);

}  // namespace nestrt::compiler
