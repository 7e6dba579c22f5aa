// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/cut.h"

#include <algorithm>
#include <unordered_set>

#include "compiler-lite/parts/cutting/part_order.h"

namespace nestrt::compiler {
namespace {

void add_nodes(const Graph& graph, const std::vector<ModelOperator>& operators, Part& part) {
  std::sort(part.operators.begin(), part.operators.end());
  part.operators.erase(std::unique(part.operators.begin(), part.operators.end()), part.operators.end());
  for (const uint32_t op : part.operators)
    for (size_t i = 0; i < operators[op].count; ++i)
      part.exported.nodes.push_back(graph.nodes()[operators[op].first + i].get());
}

// Adds the borders in the order in which the part's nodes use them.
void add_borders(const Graph& graph, ExportedPart& part) {
  const std::unordered_set<const Node*> inside(part.nodes.begin(), part.nodes.end());
  std::unordered_set<ValueId> seen;
  for (const Node* node : part.nodes) {
    for (const ValueId id : node->inputs) {
      if (id == kNoValue || graph.value(id).is_constant() || inside.count(graph.producer(id)) != 0) continue;
      if (seen.insert(id).second) part.inputs.push_back(id);
    }
    for (const ValueId id : node->outputs) {
      const auto& users = graph.users(id);
      const auto is_outside = [&](const Node* user) { return inside.count(user) == 0; };
      if (graph.is_output(id) || std::any_of(users.begin(), users.end(), is_outside)) part.outputs.push_back(id);
    }
  }
}

}  // namespace

Result<Cut> cut(const Graph& graph, std::vector<PartSpec> parts) {
  Cut result{model_operators(graph), {}};
  const OperatorLinks links = operator_links(graph, result.operators);
  NESTRT_RETURN_IF_ERROR(add_rest(parts, result.operators, links));
  if (parts.empty()) parts.push_back({"rest0", std::string(kHostBackend), {}});  // the model consists only of constants
  for (const uint32_t position : part_order(parts, result.operators, links)) {
    Part& part = result.parts.emplace_back();
    part.name = part.exported.name = std::move(parts[position].name);
    part.backend = std::move(parts[position].backend);
    part.operators = std::move(parts[position].operators);
    add_nodes(graph, result.operators, part);
    add_borders(graph, part.exported);
  }
  for (const ValueId id : graph.outputs)
    if (graph.value(id).is_constant()) result.parts.back().exported.outputs.push_back(id);
  return result;
}

}  // namespace nestrt::compiler
