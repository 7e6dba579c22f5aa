// SPDX-License-Identifier: Apache-2.0
// The layouts in which the CPU's kernels can run a node.
#pragma once

#include <vector>

#include "compiler-lite/codegen/backend.h"
#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Returns true if the value can use a blocked layout: [N, C, spatial...] of f32 or s8, not constant.
bool can_be_blocked(const Value& value);

// Returns the options that a kernel accepts on every instruction set; may be empty.
std::vector<LayoutOption> layout_options(const Graph& graph, const Node& node, const std::vector<InstructionSet>& sets);

}  // namespace nestrt::compiler
