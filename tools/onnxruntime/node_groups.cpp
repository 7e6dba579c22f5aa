// SPDX-License-Identifier: Apache-2.0
#include "tools/onnxruntime/node_groups.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace nestrt::ort {
namespace {

// Returns, for each node, the maximum number of steps from an unsupported to a supported node on any path to it. The
// number never decreases along a path and increases at each such step, so nodes with the same number can form one
// group.
std::vector<size_t> entries(const Predecessors& predecessors, const std::vector<bool>& supported) {
  std::vector<size_t> result(predecessors.size(), 0);
  for (size_t node = 0; node < predecessors.size(); ++node)
    for (const size_t other : predecessors[node])
      result[node] = std::max(result[node], result[other] + (supported[node] && !supported[other] ? 1 : 0));
  return result;
}

size_t root_of(std::vector<size_t>& parents, size_t node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

}  // namespace

std::vector<std::vector<size_t>> convex_groups(const Predecessors& predecessors, const std::vector<bool>& supported) {
  const std::vector<size_t> numbers = entries(predecessors, supported);
  std::vector<size_t> parents(predecessors.size());
  std::iota(parents.begin(), parents.end(), size_t{0});
  for (size_t node = 0; node < predecessors.size(); ++node)
    for (const size_t other : predecessors[node])
      if (supported[node] && supported[other] && numbers[node] == numbers[other])
        parents[root_of(parents, node)] = root_of(parents, other);
  std::map<size_t, std::vector<size_t>> groups;
  for (size_t node = 0; node < predecessors.size(); ++node)
    if (supported[node]) groups[root_of(parents, node)].push_back(node);
  std::vector<std::vector<size_t>> result;
  for (auto& [root, nodes] : groups) result.push_back(std::move(nodes));
  return result;
}

}  // namespace nestrt::ort
