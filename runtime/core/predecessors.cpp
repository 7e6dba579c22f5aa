// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/predecessors.h"

#include <algorithm>
#include <utility>

namespace nestrt {

void PredecessorBuilder::reads(uint32_t node, int32_t value) {
  const uint32_t writer = value < 0 ? kInvalidIndex : writer_[static_cast<size_t>(value)];
  if (writer != kInvalidIndex) predecessors_[node].push_back(writer);
}

void PredecessorBuilder::writes(uint32_t node, int32_t value) {
  if (value >= 0) writer_[static_cast<size_t>(value)] = node;
}

Predecessors PredecessorBuilder::take() && {
  tidy(predecessors_);
  return std::move(predecessors_);
}

void tidy(Predecessors& graph) {
  for (std::vector<uint32_t>& before : graph) {
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
  }
}

Predecessors group_nodes(const Predecessors& graph, const std::vector<uint32_t>& group_of, size_t groups) {
  Predecessors grouped(groups);
  for (uint32_t node = 0; node < graph.size(); ++node)
    for (const uint32_t before : graph[node])
      if (group_of[before] != group_of[node]) grouped[group_of[node]].push_back(group_of[before]);
  tidy(grouped);
  return grouped;
}

BitRows ancestors_of(const Predecessors& graph) {
  BitRows ancestors(graph.size(), graph.size());
  for (uint32_t node = 0; node < graph.size(); ++node) {
    for (const uint32_t before : graph[node]) {
      ancestors.unite(node, ancestors.row(before));
      ancestors.add(node, before);
    }
  }
  return ancestors;
}

}  // namespace nestrt
