// Whether a vendor's compiler takes an operator.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/export/onnx_forms.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/cutting/capability.h"

namespace nestrt::compiler {

// Why it does not take a node of the graph that becomes `forms`; empty where it does.
std::string refusal(const Graph& graph, const Node& node, const std::vector<OnnxForm>& forms,
                    const Capability& capability);

}  // namespace nestrt::compiler
