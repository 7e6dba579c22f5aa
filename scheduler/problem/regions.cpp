// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problem/regions.h"

#include <algorithm>
#include <utility>

#include "scheduler/problem/invalid_index.h"

namespace nestrt::scheduler {
namespace {

using Nodes = std::vector<uint32_t>;

std::vector<Nodes> successors_of(const Predecessors& graph) {
  std::vector<Nodes> successors(graph.size());
  for (uint32_t node = 0; node < graph.size(); ++node)
    for (uint32_t before : graph[node]) successors[before].push_back(node);
  return successors;
}

// Decomposes parts of the graph. A part is a list of nodes in topological order. All edges that enter it come from one
// node, its source, and all edges that leave it go to one node, its sink. A node without predecessors also follows the
// source.
class RegionBuilder {
 public:
  explicit RegionBuilder(const Predecessors& graph)
      : predecessors_(graph), successors_(successors_of(graph)), owner_(graph.size(), 0), position_(graph.size(), 0) {}

  RegionTree build() && {
    Nodes all(predecessors_.size());
    for (uint32_t node = 0; node < all.size(); ++node) all[node] = node;
    if (!all.empty()) add_series(all, 0);
    return std::move(tree_);
  }

  Nodes cuts(const Nodes& nodes) {
    own(nodes);
    return find_cuts(nodes);
  }

 private:
  // Makes `nodes` the current part.
  void own(const Nodes& nodes) {
    ++part_;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      owner_[nodes[i]] = part_;
      position_[nodes[i]] = i;
    }
  }

  bool is_inside(uint32_t node) const { return owner_[node] == part_; }

  bool follows_source(uint32_t node) const {
    const Nodes& before = predecessors_[node];
    return before.empty() || std::any_of(before.begin(), before.end(), [&](uint32_t n) { return !is_inside(n); });
  }

  bool precedes_sink(uint32_t node) const {
    const Nodes& after = successors_[node];
    return after.empty() || std::any_of(after.begin(), after.end(), [&](uint32_t n) { return !is_inside(n); });
  }

  // Returns the nodes that no edge bypasses.
  Nodes find_cuts(const Nodes& nodes) const {
    Nodes found;
    uint32_t reach = 0;  // farthest position that an edge from an earlier node leads to
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (follows_source(nodes[i])) reach = std::max(reach, i);
    }
    const auto end = static_cast<uint32_t>(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (reach <= i) found.push_back(nodes[i]);
      for (uint32_t after : successors_[nodes[i]])
        if (is_inside(after)) reach = std::max(reach, position_[after]);
      if (precedes_sink(nodes[i])) reach = end;
    }
    return found;
  }

  uint32_t add(Region region) {
    tree_.regions.push_back(std::move(region));
    return static_cast<uint32_t>(tree_.regions.size() - 1);
  }

  uint32_t add_leaf(uint32_t node) { return add({RegionKind::kNode, node, {}, false}); }

  uint32_t add_series(const Nodes& nodes, uint32_t depth) {
    if (nodes.size() == 1) return add_leaf(nodes[0]);
    own(nodes);
    struct Stretch {
      Nodes between;
      uint32_t cut;  // the cut that follows, or kInvalidIndex
      bool has_skip;
    };
    std::vector<Stretch> stretches;
    auto next = nodes.begin();
    uint32_t before = kInvalidIndex;
    for (uint32_t cut : find_cuts(nodes)) {
      const auto at = std::find(next, nodes.end(), cut);
      stretches.push_back({{next, at}, cut, before == kInvalidIndex ? enters(cut) : leads_to(before, cut)});
      next = at + 1;
      before = cut;
    }
    if (next != nodes.end())
      stretches.push_back({{next, nodes.end()}, kInvalidIndex, before != kInvalidIndex && leaves(before)});

    Region series{RegionKind::kSeries, 0, {}, false};
    for (const Stretch& stretch : stretches) {
      if (!stretch.between.empty())
        series.children.push_back(add_between(stretch.between, stretch.has_skip, depth + 1));
      if (stretch.cut != kInvalidIndex) series.children.push_back(add_leaf(stretch.cut));
    }
    return series.children.size() == 1 ? series.children[0] : add(std::move(series));
  }

  // Return whether an edge crosses the boundary of the part. A missing predecessor or successor does not count.
  bool enters(uint32_t node) const { return !predecessors_[node].empty() && follows_source(node); }
  bool leaves(uint32_t node) const { return !successors_[node].empty() && precedes_sink(node); }
  bool leads_to(uint32_t from, uint32_t to) const {
    const Nodes& before = predecessors_[to];
    return std::find(before.begin(), before.end(), from) != before.end();
  }

  uint32_t add_between(const Nodes& nodes, bool has_skip, uint32_t depth) {
    std::vector<Nodes> branches = components(nodes);
    if (depth + 3 > RegionTree::kMaxDepth) return add_flat(nodes);
    if (branches.size() == 1 && !has_skip) return add_unstructured(nodes, depth);
    Region parallel{RegionKind::kParallel, 0, {}, has_skip};
    for (const Nodes& branch : branches) parallel.children.push_back(add_series(branch, depth + 1));
    return add(std::move(parallel));
  }

  uint32_t add_flat(const Nodes& nodes) {
    Region flat{RegionKind::kUnstructured, 0, {}, false};
    for (uint32_t node : nodes) flat.children.push_back(add_leaf(node));
    return add(std::move(flat));
  }

  // Returns the connected components of `nodes`, ordered by their first node.
  std::vector<Nodes> components(const Nodes& nodes) {
    own(nodes);
    std::vector<uint32_t> component(nodes.size(), kInvalidIndex);
    uint32_t count = 0;
    for (uint32_t start = 0; start < nodes.size(); ++start) {
      if (component[start] != kInvalidIndex) continue;
      Nodes pending = {nodes[start]};
      component[start] = count;
      while (!pending.empty()) {
        const uint32_t node = pending.back();
        pending.pop_back();
        for (const Nodes* neighbours : {&predecessors_[node], &successors_[node]}) {
          for (uint32_t other : *neighbours) {
            if (!is_inside(other) || component[position_[other]] != kInvalidIndex) continue;
            component[position_[other]] = count;
            pending.push_back(other);
          }
        }
      }
      ++count;
    }
    std::vector<Nodes> parts(count);
    for (uint32_t i = 0; i < nodes.size(); ++i) parts[component[i]].push_back(nodes[i]);
    return parts;
  }

  // Adds a connected part without cut points. If a node immediately dominates its immediate post-dominator, the two
  // enclose a part with one entry and one exit.
  uint32_t add_unstructured(const Nodes& nodes, uint32_t depth) {
    own(nodes);
    const std::vector<uint32_t> exits = closing_nodes(nodes);
    std::vector<Nodes> parts;
    std::vector<bool> taken(nodes.size(), false);
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (taken[i]) continue;
      uint32_t last = i;
      while (exits[last] != kInvalidIndex) last = exits[last];
      parts.push_back(enclosed(nodes, i, last));
      for (uint32_t node : parts.back()) taken[position_[node]] = true;
    }
    Region region{RegionKind::kUnstructured, 0, {}, false};
    for (const Nodes& part : parts) region.children.push_back(add_series(part, depth + 1));
    return add(std::move(region));
  }

  // For each position, returns the position of the node that closes the region opened by the node there, or
  // kInvalidIndex.
  std::vector<uint32_t> closing_nodes(const Nodes& nodes) const {
    const auto count = static_cast<uint32_t>(nodes.size());
    // Positions start at 1; 0 is the source. For post-dominators, positions are counted backwards, and 0 is the sink.
    const auto forward = [&](uint32_t node) { return position_[node] + 1; };
    const auto backward = [&](uint32_t node) { return count - position_[node]; };
    std::vector<uint32_t> dominator(count + 1, 0), post_dominator(count + 1, 0);
    for (uint32_t i = 1; i <= count; ++i) {
      const uint32_t node = nodes[i - 1], mirrored = nodes[count - i];
      dominator[i] = meet(dominator, predecessors_[node], follows_source(node), forward);
      post_dominator[i] = meet(post_dominator, successors_[mirrored], precedes_sink(mirrored), backward);
    }
    std::vector<uint32_t> closing(count, kInvalidIndex);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t exit = post_dominator[count - i];  // counted backwards
      if (exit != 0 && dominator[count - exit + 1] == i + 1) closing[i] = count - exit;
    }
    return closing;
  }

  // Returns the nearest common dominator of `before`. If `at_border`, returns 0, which represents the boundary of the
  // part.
  template <typename Position>
  uint32_t meet(const std::vector<uint32_t>& dominator, const Nodes& before, bool at_border, Position position) const {
    if (at_border) return 0;
    uint32_t common = position(before[0]);
    for (uint32_t node : before) {
      for (uint32_t other = position(node); common != other;)
        (common > other ? common : other) = dominator[std::max(common, other)];
    }
    return common;
  }

  // Returns the nodes from position `first` to position `last` that can be reached from the first.
  Nodes enclosed(const Nodes& nodes, uint32_t first, uint32_t last) const {
    std::vector<uint32_t> positions = {first};
    std::vector<bool> seen(last - first + 1, false);
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] == last) continue;
      for (uint32_t after : successors_[nodes[positions[i]]]) {
        const uint32_t at = position_[after];
        if (seen[at - first]) continue;
        seen[at - first] = true;
        positions.push_back(at);
      }
    }
    std::sort(positions.begin(), positions.end());
    Nodes found;
    for (uint32_t at : positions) found.push_back(nodes[at]);
    return found;
  }

  const Predecessors& predecessors_;
  const std::vector<Nodes> successors_;
  RegionTree tree_;
  uint32_t part_ = 0;
  std::vector<uint32_t> owner_;     // by node: the last part it belonged to
  std::vector<uint32_t> position_;  // by node: its position in that part
};

void append_groups(const RegionTree& tree, uint32_t index, uint32_t nesting, std::vector<ParallelGroup>& groups) {
  const Region& region = tree.regions[index];
  const bool is_group = region.kind == RegionKind::kParallel || region.kind == RegionKind::kUnstructured;
  if (is_group) {
    const auto branches = static_cast<uint32_t>(region.children.size()) + (region.has_skip ? 1 : 0);
    groups.push_back({index, branches, region.has_skip, region.kind == RegionKind::kParallel, nesting});
  }
  for (uint32_t child : region.children) append_groups(tree, child, nesting + (is_group ? 1 : 0), groups);
}

void append_nodes(const RegionTree& tree, uint32_t index, Nodes& nodes) {
  const Region& region = tree.regions[index];
  if (region.kind == RegionKind::kNode) nodes.push_back(region.node);
  for (uint32_t child : region.children) append_nodes(tree, child, nodes);
}

}  // namespace

std::vector<uint32_t> RegionTree::nodes_of(uint32_t region) const {
  Nodes nodes;
  append_nodes(*this, region, nodes);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

RegionTree find_regions(const Predecessors& graph) { return RegionBuilder(graph).build(); }

std::vector<ParallelGroup> parallel_groups(const RegionTree& tree) {
  std::vector<ParallelGroup> groups;
  if (!tree.regions.empty()) append_groups(tree, static_cast<uint32_t>(tree.regions.size() - 1), 0, groups);
  return groups;
}

std::vector<uint32_t> cut_points(const Predecessors& graph) {
  Nodes all(graph.size());
  for (uint32_t node = 0; node < all.size(); ++node) all[node] = node;
  return RegionBuilder(graph).cuts(all);
}

// Returns every node that satisfies two conditions: each earlier node has a successor at or before it, and each later
// node has a predecessor at or after it.
std::vector<uint32_t> barriers(const Predecessors& graph) {
  const auto count = static_cast<uint32_t>(graph.size());
  std::vector<uint32_t> nearest(count, count);  // by node: its nearest successor
  std::vector<bool> follow(count, true);
  uint32_t least = count;  // minimum, over the later nodes, of the nearest predecessor plus 1
  for (uint32_t node = count; node-- > 0;) {
    follow[node] = least > node;
    uint32_t latest = 0;
    for (uint32_t before : graph[node]) {
      latest = std::max(latest, before + 1);
      nearest[before] = node;
    }
    least = std::min(least, latest);
  }
  Nodes found;
  uint32_t farthest = 0;  // maximum, over the earlier nodes, of the nearest successor
  for (uint32_t node = 0; node < count; ++node) {
    if (follow[node] && farthest <= node) found.push_back(node);
    farthest = std::max(farthest, nearest[node]);
  }
  return found;
}

}  // namespace nestrt::scheduler
