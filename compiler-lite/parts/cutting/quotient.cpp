// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/quotient.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <unordered_map>

namespace nestrt::compiler {

Quotient::Quotient(const std::vector<uint32_t>& part_of, size_t num_parts, const OperatorLinks& links)
    : part_of_(part_of), links_(links), members_(num_parts) {
  for (uint32_t op = 0; op < part_of.size(); ++op)
    if (part_of[op] != kNoPart) members_[part_of[op]].push_back(op);
}

std::span<const uint32_t> Quotient::members(uint32_t node, uint32_t& single) const {
  if (is_part(node)) return members_[node];
  single = node - num_parts();
  return {&single, 1};
}

template <typename Visit>
void Quotient::for_each_neighbor(uint32_t node, const std::vector<std::vector<uint32_t>>& links, Visit visit) const {
  uint32_t single = 0;
  for (const uint32_t op : members(node, single))
    for (const uint32_t other : links[op])
      if (node_of(other) != node) visit(op, other);
}

std::vector<Quotient::Link> Quotient::links_from(uint32_t node) const {
  std::vector<Link> result;
  for_each_neighbor(node, links_.feeds, [&](uint32_t op, uint32_t reader) { result.emplace_back(op, reader); });
  return result;
}

std::vector<Quotient::Link> Quotient::links_to(uint32_t node) const {
  std::vector<Link> result;
  for_each_neighbor(node, links_.reads, [&](uint32_t op, uint32_t source) { result.emplace_back(source, op); });
  return result;
}

uint32_t Quotient::earliest(uint32_t node) const {
  uint32_t single = 0;
  const auto all = members(node, single);
  return all.empty() ? 0 : all.front();
}

std::vector<uint32_t> Quotient::order() const {
  using Entry = std::pair<uint32_t, uint32_t>;  // earliest operator, node
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  std::vector<size_t> waiting(size(), 0);
  for (uint32_t node = 0; node < size(); ++node) {
    if (!exists(node)) continue;
    waiting[node] = links_to(node).size();
    if (waiting[node] == 0) ready.emplace(earliest(node), node);
  }
  std::vector<uint32_t> sorted;
  while (!ready.empty()) {
    const uint32_t node = ready.top().second;
    ready.pop();
    sorted.push_back(node);
    for (const auto& [from, to] : links_from(node))
      if (--waiting[node_of(to)] == 0) ready.emplace(earliest(node_of(to)), node_of(to));
  }
  return sorted;
}

// Walks backwards from a node that is missing from the order, through other missing nodes, until a node repeats.
std::vector<uint32_t> Quotient::cycle() const {
  std::vector<bool> stuck(size());
  for (uint32_t node = 0; node < size(); ++node) stuck[node] = exists(node);
  for (const uint32_t node : order()) stuck[node] = false;
  const auto first = std::find(stuck.begin(), stuck.end(), true);
  if (first == stuck.end()) return {};
  std::vector<uint32_t> path;
  std::unordered_map<uint32_t, size_t> place;  // position in the path
  auto node = static_cast<uint32_t>(first - stuck.begin());
  while (place.try_emplace(node, path.size()).second) {
    path.push_back(node);
    for (const auto& [from, to] : links_to(node))
      if (stuck[node_of(from)]) node = node_of(from);
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(place.at(node)));
  return path;
}

std::vector<Quotient::Link> Quotient::way_back(uint32_t part, bool through_parts) const {
  std::unordered_map<uint32_t, Link> came_by;  // by node; by operator unless `through_parts`
  std::deque<Link> waiting;
  const auto state_of = [&](uint32_t op) { return through_parts ? node_of(op) : op; };
  const auto follow = [&](const Link& link) {
    if (node_of(link.second) == part || came_by.try_emplace(state_of(link.second), link).second)
      waiting.push_back(link);
  };
  for (const Link& link : links_from(part)) follow(link);
  while (!waiting.empty() && node_of(waiting.front().second) != part) {
    const uint32_t op = waiting.front().second;
    waiting.pop_front();
    if (through_parts)
      for (const Link& link : links_from(node_of(op))) follow(link);
    else
      for (const uint32_t reader : links_.feeds[op]) follow({op, reader});
  }
  if (waiting.empty()) return {};
  std::vector<Link> way = {waiting.front()};
  while (node_of(way.back().first) != part) way.push_back(came_by.at(state_of(way.back().first)));
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace nestrt::compiler
