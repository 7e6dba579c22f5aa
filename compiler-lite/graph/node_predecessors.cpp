// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/graph/node_predecessors.h"

#include <utility>

namespace nestrt::compiler {

Predecessors node_predecessors(const Graph& graph) {
  PredecessorBuilder builder(graph.nodes().size(), graph.num_values());
  uint32_t position = 0;
  for (const auto& node : graph.nodes()) {
    for (const ValueId id : node->inputs) builder.reads(position, id);
    for (const ValueId id : node->outputs) builder.writes(position, id);
    ++position;
  }
  return std::move(builder).take();
}

}  // namespace nestrt::compiler
