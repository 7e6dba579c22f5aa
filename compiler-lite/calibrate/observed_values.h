// SPDX-License-Identifier: Apache-2.0
// Selects the values that calibration observes: those that could become s8.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Returns the names of the f32 values, including inputs and outputs, in order of computation, so the first reported
// error is the one that occurs first. Excludes masks and possibly masked scores that reach only a Softmax: they stay
// f32 in any case, and a mask of -inf makes their range meaningless. Requires: topologically sorted nodes.
std::vector<std::string> observed_values(const Graph& graph);

}  // namespace nestrt::compiler
