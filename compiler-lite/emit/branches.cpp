#include "compiler-lite/emit/branches.h"

#include <algorithm>
#include <unordered_map>

#include "scheduler/regions.h"

namespace nestrt::compiler {
namespace {

// By node, the nodes that compute what it reads; each once.
scheduler::Predecessors node_predecessors(const Graph& graph) {
  std::unordered_map<const Node*, uint32_t> positions;
  scheduler::Predecessors result;
  for (const auto& node : graph.nodes()) {
    std::vector<uint32_t>& before = result.emplace_back();
    for (const ValueId id : node->inputs)
      if (const Node* const producer = id == kNoValue ? nullptr : graph.producer(id); producer != nullptr)
        before.push_back(positions.at(producer));
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    positions.emplace(node.get(), static_cast<uint32_t>(result.size() - 1));
  }
  return result;
}

plan::RegionKind kind_in_plan(scheduler::RegionKind kind) {
  switch (kind) {
    case scheduler::RegionKind::kNode:
      return plan::RegionKind::branch;
    case scheduler::RegionKind::kParallel:
      return plan::RegionKind::parallel;
    case scheduler::RegionKind::kSeries:
    case scheduler::RegionKind::kUnstructured:
      break;
  }
  return plan::RegionKind::series;
}

}  // namespace

std::vector<bool> chain_links(const Graph& graph) {
  const scheduler::Predecessors predecessors = node_predecessors(graph);
  std::vector<uint32_t> num_users(predecessors.size(), 0);
  for (const auto& before : predecessors)
    for (const uint32_t node : before) ++num_users[node];
  std::vector<bool> links(predecessors.size(), false);
  for (uint32_t node = 1; node < links.size(); ++node)
    links[node] = predecessors[node] == std::vector<uint32_t>{node - 1} && num_users[node - 1] == 1;
  return links;
}

std::vector<std::unique_ptr<plan::RegionT>> region_tree(const Graph& graph, std::span<const uint32_t> branch_of,
                                                        uint32_t num_branches) {
  scheduler::Predecessors predecessors(num_branches);
  uint32_t node = 0;
  for (const auto& before : node_predecessors(graph)) {
    const uint32_t branch = branch_of[node++];
    for (const uint32_t other : before)
      if (branch_of[other] != branch) predecessors[branch].push_back(branch_of[other]);
  }
  std::vector<std::unique_ptr<plan::RegionT>> result;
  for (const scheduler::Region& region : scheduler::find_regions(predecessors).regions) {
    auto made = std::make_unique<plan::RegionT>();
    made->kind = kind_in_plan(region.kind);
    if (region.kind == scheduler::RegionKind::kNode) made->branch = region.node;
    made->children = region.children;
    result.push_back(std::move(made));
  }
  return result;
}

}  // namespace nestrt::compiler
