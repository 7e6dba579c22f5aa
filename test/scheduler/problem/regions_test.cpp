// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/regions.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "test/support/plan/network_graphs.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using scheduler::barriers;
using scheduler::cut_points;
using scheduler::find_regions;
using scheduler::parallel_groups;
using scheduler::ParallelGroup;
using scheduler::Region;
using scheduler::RegionKind;
using scheduler::RegionTree;

size_t count_groups(const Predecessors& graph, uint32_t branches, uint32_t nesting = 0) {
  const auto groups = parallel_groups(find_regions(graph));
  return static_cast<size_t>(std::count_if(groups.begin(), groups.end(), [&](const ParallelGroup& group) {
    return group.is_structured && group.branches == branches && group.nesting == nesting;
  }));
}

// For each pair of nodes, returns whether the second can be reached from the first.
std::vector<std::vector<bool>> reachability(const Predecessors& graph) {
  std::vector<std::vector<bool>> reaches(graph.size(), std::vector<bool>(graph.size(), false));
  for (uint32_t to = 0; to < graph.size(); ++to)
    for (uint32_t before : graph[to])
      for (uint32_t from = 0; from < to; ++from)
        if (from == before || reaches[from][before]) reaches[from][to] = true;
  return reaches;
}

// Returns the nodes that are on every path from a node without predecessors to a node without successors.
std::vector<uint32_t> cut_points_by_definition(const Predecessors& graph) {
  std::vector<uint64_t> to(graph.size(), 0), from(graph.size(), 0);
  std::vector<bool> is_end(graph.size(), true);
  uint64_t all = 0;
  for (uint32_t node = 0; node < graph.size(); ++node) {
    if (graph[node].empty()) to[node] = 1;
    for (uint32_t before : graph[node]) {
      to[node] += to[before];
      is_end[before] = false;
    }
  }
  for (auto node = static_cast<uint32_t>(graph.size()); node-- > 0;) {
    if (is_end[node]) {
      from[node] = 1;
      all += to[node];
    }
    for (uint32_t before : graph[node]) from[before] += from[node];
  }
  std::vector<uint32_t> cuts;
  for (uint32_t node = 0; node < graph.size(); ++node)
    if (to[node] * from[node] == all) cuts.push_back(node);
  return cuts;
}

std::vector<uint32_t> barriers_by_definition(const Predecessors& graph) {
  const auto reaches = reachability(graph);
  std::vector<uint32_t> found;
  for (uint32_t node = 0; node < graph.size(); ++node) {
    bool is_barrier = true;
    for (uint32_t other = 0; other < graph.size(); ++other)
      is_barrier &= other == node || reaches[node][other] || reaches[other][node];
    if (is_barrier) found.push_back(node);
  }
  return found;
}

Predecessors random_graph(std::mt19937& random) {
  Predecessors graph(1 + random() % 14);
  const uint32_t window = 1 + random() % 6, edges = random() % 4;
  for (uint32_t node = 1; node < graph.size(); ++node)
    for (uint32_t edge = 0; edge < edges; ++edge)
      graph[node].push_back(node - 1 - static_cast<uint32_t>(random() % std::min(node, window)));
  return graph;
}

void check_tree(const Predecessors& graph) {
  const RegionTree tree = find_regions(graph);
  REQUIRE(!tree.regions.empty());
  const auto reaches = reachability(graph);
  const auto root_nodes = tree.nodes_of(static_cast<uint32_t>(tree.regions.size() - 1));
  REQUIRE(root_nodes.size() == graph.size());
  REQUIRE(std::adjacent_find(root_nodes.begin(), root_nodes.end()) == root_nodes.end());
  for (uint32_t index = 0; index < tree.regions.size(); ++index) {
    const Region& region = tree.regions[index];
    for (size_t i = 0; i < region.children.size(); ++i) {
      REQUIRE(region.children[i] < index);
      for (size_t j = i + 1; j < region.children.size(); ++j) {
        for (uint32_t a : tree.nodes_of(region.children[i])) {
          for (uint32_t b : tree.nodes_of(region.children[j])) {
            REQUIRE_FALSE(reaches[b][a]);
            if (region.kind == RegionKind::kSeries) REQUIRE(reaches[a][b]);
            if (region.kind == RegionKind::kParallel) REQUIRE_FALSE(reaches[a][b]);
          }
        }
      }
    }
  }
}

TEST_CASE("SqueezeNet has 8 groups of 2 branches") {
  CHECK(count_groups(squeezenet_graph(), 2) == 8);
  CHECK(parallel_groups(find_regions(squeezenet_graph())).size() == 8);
}

TEST_CASE("GoogLeNet has 9 groups of 4 branches") {
  CHECK(count_groups(googlenet_graph(), 4) == 9);
  CHECK(parallel_groups(find_regions(googlenet_graph())).size() == 9);
}

TEST_CASE("ResNet-50 has 16 groups of 2, 12 of them with an identity skip") {
  const auto groups = parallel_groups(find_regions(resnet50_graph()));
  CHECK(groups.size() == 16);
  CHECK(count_groups(resnet50_graph(), 2) == 16);
  CHECK(std::count_if(groups.begin(), groups.end(), [](const ParallelGroup& group) { return group.has_skip; }) == 12);
}

TEST_CASE("Forks within branches are groups within groups") {
  CHECK(count_groups(nested_inception_graph(), 4, 0) == 2);
  CHECK(count_groups(nested_inception_graph(), 2, 1) == 4);
}

TEST_CASE("A chain is one series region, and all of its nodes are cut points") {
  GraphBuilder builder;
  builder.chain(builder.node({}), 5);
  const RegionTree tree = find_regions(builder.graph());
  CHECK(tree.regions.back().kind == RegionKind::kSeries);
  CHECK(tree.regions.back().children.size() == 6);
  CHECK(cut_points(builder.graph()).size() == 6);
}

TEST_CASE("A graph that is not series-parallel keeps its structured parts") {
  GraphBuilder builder;
  const uint32_t a = builder.node({}), b = builder.node({});
  const uint32_t fork = builder.node({a});
  const uint32_t join = builder.node({builder.node({fork}), builder.node({fork})});
  builder.node({join, b});
  builder.node({a, b});
  const RegionTree tree = find_regions(builder.graph());
  CHECK(tree.regions.back().kind == RegionKind::kUnstructured);
  const auto groups = parallel_groups(tree);
  REQUIRE(groups.size() == 2);
  CHECK_FALSE(groups[0].is_structured);
  CHECK(groups[1].is_structured);
  CHECK(groups[1].branches == 2);
  CHECK(groups[1].nesting == 1);
}

TEST_CASE("Skips within skips are nested") {
  GraphBuilder builder;
  const uint32_t fork = builder.node({}), a = builder.node({fork}), b = builder.node({fork, a});
  builder.node({fork, b});
  const auto groups = parallel_groups(find_regions(builder.graph()));
  REQUIRE(groups.size() == 2);
  CHECK((groups[0].has_skip && groups[1].has_skip));
  CHECK(groups[1].nesting == 1);
}

TEST_CASE("An empty graph has no regions and several ends form one group") {
  CHECK(find_regions({}).regions.empty());
  CHECK(cut_points({}).empty());
  const Predecessors two = {{}, {}};
  CHECK(find_regions(two).regions.back().kind == RegionKind::kParallel);
}

TEST_CASE("Regions are at most as deep as plans allow") {
  GraphBuilder builder;  // each node follows the first and the previous one: nested skips
  const uint32_t first = builder.node({});
  uint32_t last = builder.node({first});
  for (int i = 0; i < 200; ++i) last = builder.node({first, last});
  const RegionTree tree = find_regions(builder.graph());
  std::vector<uint32_t> depth(tree.regions.size(), 0);
  for (uint32_t index = 0; index < tree.regions.size(); ++index)
    for (uint32_t child : tree.regions[index].children) depth[index] = std::max(depth[index], depth[child] + 1);
  CHECK(depth.back() <= RegionTree::kMaxDepth);
  CHECK(tree.nodes_of(static_cast<uint32_t>(tree.regions.size() - 1)).size() == builder.graph().size());
}

TEST_CASE("A node that only an edge bypasses is a barrier but not a cut point") {
  const Predecessors graph = {{}, {0}, {0, 1}};
  CHECK(barriers(graph) == std::vector<uint32_t>{0, 1, 2});
  CHECK(cut_points(graph) == std::vector<uint32_t>{0, 2});
}

TEST_CASE("Regions and cut points of random graphs match their definitions") {
  std::mt19937 random(1);
  for (int i = 0; i < by_level(50, 1000, 20000); ++i) {
    const Predecessors graph = random_graph(random);
    check_tree(graph);
    REQUIRE(cut_points(graph) == cut_points_by_definition(graph));
    REQUIRE(barriers(graph) == barriers_by_definition(graph));
  }
}

}  // namespace
}  // namespace nestrt::test
