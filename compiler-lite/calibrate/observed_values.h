// Which values of a graph calibration observes: those that could become s8.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Names of the f32 values, inputs and outputs included, in the order of computation: what is wrong first shows first.
// Left out are masks and scores that may have been masked, which reach nothing but a Softmax: they stay in f32 in any
// case, and where a mask is -inf, their range says nothing. Requires: nodes sorted topologically.
std::vector<std::string> observed_values(const Graph& graph);

}  // namespace nestrt::compiler
