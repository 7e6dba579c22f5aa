// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/placement/branches.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "compiler-lite/graph/node_predecessors.h"

namespace nestrt::compiler {
namespace {

// Returns how many nodes, starting at `first`, one program of the backend can compute. If 0, also returns the reason.
size_t longest_run(const Graph& graph, Backend& backend, size_t first, std::string* refusal) {
  const Subgraph nodes(graph.nodes());
  size_t count = 0;
  while (first + count < nodes.size()) {
    const Status status = backend.accepts(graph, nodes.subspan(first, count + 1));
    if (status.ok()) {
      ++count;
      continue;
    }
    if (count == 0) *refusal = status.message();
    break;
  }
  return count;
}

class Placer {
 public:
  Placer(const Graph& graph, const Backends& backends)
      : graph_(graph), backends_(backends), links_(chain_links(graph)) {
    placement_.refusals.assign(backends.size(), std::vector<std::string>(graph.nodes().size()));
  }

  Result<Placement> place() {
    for (size_t node = 0; node < graph_.nodes().size();) {
      const size_t taken = place_off_host(node);
      if (taken == 0) NESTRT_RETURN_IF_ERROR(place_on_host(node));
      node += std::max<size_t>(taken, 1);
    }
    for (size_t i = 1; i < backends_.size(); ++i)
      if (backends_[i]->follows_others()) offer_branches(i);
    return std::move(placement_);
  }

 private:
  // Places the longest run that starts at this node and is accepted by a unit other than the host, on all units that
  // accept the same run. Returns the run's length; 0 if no unit accepts the node.
  size_t place_off_host(size_t node) {
    PlacedBranch branch{node, 0, {0}};
    std::vector<size_t> runs(backends_.size(), 0);
    for (size_t i = 1; i < backends_.size(); ++i) {
      if (backends_[i]->follows_others()) continue;
      runs[i] = longest_run(graph_, *backends_[i], node, &placement_.refusals[i][node]);
      branch.count = std::max(branch.count, runs[i]);
    }
    if (branch.count == 0) return 0;
    for (size_t i = 1; i < backends_.size(); ++i)
      if (runs[i] == branch.count) branch.backends.push_back(i);
    if (graph_.nodes()[node]->kind() == ops::Kind::kOpaque) std::erase(branch.backends, 0);  // the host has no kernel
    open_ = false;
    placement_.branches.push_back(std::move(branch));
    return placement_.branches.back().count;
  }

  void offer_branches(size_t backend) {
    const Subgraph nodes(graph_.nodes());
    for (PlacedBranch& branch : placement_.branches) {
      const Status status = backends_[backend]->accepts(graph_, nodes.subspan(branch.first, branch.count));
      if (status.ok())
        branch.backends.push_back(backend);
      else
        std::fill_n(placement_.refusals[backend].begin() + static_cast<std::ptrdiff_t>(branch.first), branch.count,
                    std::string(status.message()));
    }
  }

  Status place_on_host(size_t node) {
    NESTRT_RETURN_IF_ERROR(backends_[0]->accepts(graph_, Subgraph(graph_.nodes()).subspan(node, 1)));
    if (open_ && links_[node])
      ++placement_.branches.back().count;
    else
      placement_.branches.push_back({node, 1, {0}});
    open_ = true;
    return {};
  }

  const Graph& graph_;
  const Backends& backends_;
  const std::vector<bool> links_;
  Placement placement_;
  bool open_ = false;  // the last branch is placed only on the host and may grow
};

}  // namespace

std::vector<bool> chain_links(const Graph& graph) {
  const Predecessors predecessors = node_predecessors(graph);
  std::vector<uint32_t> num_users(predecessors.size(), 0);
  for (const auto& before : predecessors)
    for (const uint32_t node : before) ++num_users[node];
  std::vector<bool> links(predecessors.size(), false);
  for (uint32_t node = 1; node < links.size(); ++node)
    links[node] = predecessors[node] == std::vector<uint32_t>{node - 1} && num_users[node - 1] == 1;
  return links;
}

Result<Placement> place_branches(const Graph& graph, const Backends& backends) {
  return Placer(graph, backends).place();
}

}  // namespace nestrt::compiler
