// SPDX-License-Identifier: Apache-2.0
// States that the interpreter keeps between runs, as inputs and outputs of the graph.
#pragma once

#include "compiler-lite/import/tflite/lite_node.h"

namespace nestrt::compiler {

// Adds an input for a state with the type and shape of a tensor, and returns it as stored.
Result<ValueId> add_state_input(LiteNode& node, const std::string& name, int32_t tensor);

}  // namespace nestrt::compiler
