// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/passes/passes.h"

namespace nestrt::compiler {

Result<int> remove_dead(Graph& graph) {
  const size_t before = graph.nodes().size();
  graph.tidy();
  const int changes = static_cast<int>(before - graph.nodes().size());
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const ValueId id = static_cast<ValueId>(i);
    if (graph.value(id).is_constant() && graph.users(id).empty() && !graph.is_output(id))
      graph.value(id).constant = nullptr;
  }
  return changes;
}

}  // namespace nestrt::compiler
