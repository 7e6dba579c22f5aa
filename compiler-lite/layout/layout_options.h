// The layouts in which a node can run.
#pragma once

#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

struct LayoutOption {
  std::vector<Layout> inputs;  // by operand
  Layout output = Layout::kPlain;
  // How many times slower than the node's best kernel its kernel is taken to be; 1 for the best.
  int64_t slowdown = 1;
};

// True where the value may lie in blocks: [N, C, spatial...] of f32 or s8, not constant.
bool can_be_blocked(const Value& value);

// The options that some kernel accepts. Empty where no kernel runs the node at all.
std::vector<LayoutOption> layout_options(const Graph& graph, const Node& node);

}  // namespace nestrt::compiler
