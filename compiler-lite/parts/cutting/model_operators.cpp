// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/model_operators.h"

#include <algorithm>
#include <unordered_map>

#include "tools/support/nest_c/nest_c_partition.h"

namespace nestrt::compiler {

std::vector<ModelOperator> model_operators(const Graph& graph) {
  std::vector<ModelOperator> operators;
  const auto& nodes = graph.nodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool continues = i > 0 && !nodes[i]->name.empty() && nodes[i]->name == nodes[i - 1]->name;
    if (continues)
      ++operators.back().count;
    else
      operators.push_back({nodes[i]->name, i, 1});
  }
  std::vector<std::string> names;
  for (const ModelOperator& op : operators) names.push_back(op.name);
  names = tools::nest_c_names(names);
  for (size_t i = 0; i < operators.size(); ++i) operators[i].name = std::move(names[i]);
  return operators;
}

namespace {

void sort_unique(std::vector<uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

OperatorLinks operator_links(const Graph& graph, const std::vector<ModelOperator>& operators) {
  std::unordered_map<const Node*, uint32_t> operator_of;
  for (uint32_t op = 0; op < operators.size(); ++op)
    for (size_t i = 0; i < operators[op].count; ++i) operator_of[graph.nodes()[operators[op].first + i].get()] = op;
  OperatorLinks links{std::vector<std::vector<uint32_t>>(operators.size()),
                      std::vector<std::vector<uint32_t>>(operators.size())};
  for (const auto& [node, op] : operator_of) {
    for (const ValueId id : node->inputs) {
      const Node* producer = id == kNoValue ? nullptr : graph.producer(id);
      if (producer == nullptr || operator_of.at(producer) == op) continue;
      links.reads[op].push_back(operator_of.at(producer));
      links.feeds[operator_of.at(producer)].push_back(op);
    }
  }
  for (auto* lists : {&links.reads, &links.feeds})
    for (std::vector<uint32_t>& list : *lists) sort_unique(list);
  return links;
}

}  // namespace nestrt::compiler
