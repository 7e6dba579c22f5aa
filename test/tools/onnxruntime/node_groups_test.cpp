// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/node_groups.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

namespace nestrt::ort {
namespace {

using Groups = std::vector<std::vector<size_t>>;

constexpr size_t kNodes = 24;
constexpr int kGraphs = 300;

Predecessors random_graph(std::mt19937& generator) {
  Predecessors graph(kNodes);
  for (size_t node = 1; node < kNodes; ++node)
    for (uint32_t count = generator() % 3; count > 0; --count) graph[node].push_back(generator() % node);
  return graph;
}

// Returns true if the graph in which every group is one node has no cycle. Repeatedly removes nodes without
// predecessors.
bool can_become_nodes(const Predecessors& graph, const Groups& groups) {
  std::vector<size_t> fused(graph.size());
  for (size_t node = 0; node < graph.size(); ++node) fused[node] = groups.size() + node;
  for (size_t group = 0; group < groups.size(); ++group)
    for (const size_t node : groups[group]) fused[node] = group;
  std::map<size_t, std::vector<size_t>> waiting;
  for (size_t node = 0; node < graph.size(); ++node) {
    std::vector<size_t>& reads = waiting[fused[node]];
    for (const size_t other : graph[node])
      if (fused[other] != fused[node]) reads.push_back(fused[other]);
  }
  for (size_t before = 0; before != waiting.size();) {
    before = waiting.size();
    std::erase_if(waiting, [&](const auto& entry) {
      return std::ranges::none_of(entry.second, [&](size_t other) { return waiting.contains(other); });
    });
  }
  return waiting.empty();
}

}  // namespace

TEST_CASE("groups of random graphs contain every supported node once and can become nodes") {
  std::mt19937 generator(1);  // NOLINT: the same graphs in every run
  for (int round = 0; round < kGraphs; ++round) {
    const Predecessors graph = random_graph(generator);
    std::vector<bool> supported(kNodes);
    for (size_t node = 0; node < kNodes; ++node) supported[node] = generator() % 4 != 0;
    const Groups groups = convex_groups(graph, supported);
    std::vector<int> members(kNodes, 0);
    for (const auto& group : groups) {
      CHECK(std::ranges::is_sorted(group));
      for (const size_t node : group) ++members[node];
    }
    for (size_t node = 0; node < kNodes; ++node) CHECK(members[node] == (supported[node] ? 1 : 0));
    CHECK(can_become_nodes(graph, groups));
  }
}

TEST_CASE("a connected graph of supported nodes is one group") {
  const Predecessors diamond = {{}, {0}, {0}, {1, 2}};
  CHECK(convex_groups(diamond, {true, true, true, true}) == Groups{{0, 1, 2, 3}});
}

TEST_CASE("an unsupported node on one of two paths divides the group") {
  const Predecessors diamond = {{}, {0}, {0}, {1, 2}};
  CHECK(convex_groups(diamond, {true, false, true, true}) == Groups{{0, 2}, {3}});
}

TEST_CASE("separate chains are separate groups") {
  CHECK(convex_groups({{}, {}, {0}, {1}}, {true, true, true, true}) == Groups{{0, 2}, {1, 3}});
}

}  // namespace nestrt::ort
