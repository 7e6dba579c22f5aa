// The layouts in which the CPU's kernels can run a node.
#pragma once

#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// True where the value may lie in blocks: [N, C, spatial...] of f32 or s8, not constant.
bool can_be_blocked(const Value& value);

// The options that some kernel accepts on each of the instruction sets. Empty where there is none.
std::vector<LayoutOption> layout_options(const Graph& graph, const Node& node, const std::vector<InstructionSet>& sets);

}  // namespace nestrt::compiler
