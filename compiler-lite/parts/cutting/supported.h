// SPDX-License-Identifier: Apache-2.0
// Checks whether a vendor's compiler accepts an operator.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/export/onnx_forms.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/cutting/capability.h"

namespace nestrt::compiler {

// Returns why the compiler rejects a node that is exported as `forms`; empty if it accepts the node.
std::string refusal(const Graph& graph, const Node& node, const std::vector<OnnxForm>& forms,
                    const Capability& capability);

}  // namespace nestrt::compiler
