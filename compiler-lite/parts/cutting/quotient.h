// SPDX-License-Identifier: Apache-2.0
// Quotient: a graph whose nodes are the parts and the operators in no part. Part p is node p; operator o is node
// num_parts() + o.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler-lite/parts/cutting/model_operators.h"

namespace nestrt::compiler {

inline constexpr uint32_t kNoPart = UINT32_MAX;

class Quotient {
 public:
  using Link = std::pair<uint32_t, uint32_t>;  // an operator and a reader of its result

  // `part_of`: by operator; kNoPart if it is in no part. Both references must outlive the Quotient.
  Quotient(const std::vector<uint32_t>& part_of, size_t num_parts, const OperatorLinks& links);

  uint32_t num_parts() const { return static_cast<uint32_t>(members_.size()); }
  uint32_t size() const { return num_parts() + static_cast<uint32_t>(part_of_.size()); }
  uint32_t node_of(uint32_t op) const { return part_of_[op] == kNoPart ? num_parts() + op : part_of_[op]; }
  bool is_part(uint32_t node) const { return node < num_parts(); }
  bool exists(uint32_t node) const { return is_part(node) || part_of_[node - num_parts()] == kNoPart; }

  // Return the operator links that leave the node, and those that enter it.
  std::vector<Link> links_from(uint32_t node) const;
  std::vector<Link> links_to(uint32_t node) const;

  // Returns the nodes in topological order; on a tie, the node with the earliest operator comes first. Omits nodes in
  // cycles and their successors.
  std::vector<uint32_t> order() const;

  // Returns nodes that form a cycle; empty if there is no cycle.
  std::vector<uint32_t> cycle() const;

  // Returns the links of a shortest path from a part back to itself; empty if none exists. If `through_parts` is set,
  // the path may enter another part at any operator and leave it at any other.
  std::vector<Link> way_back(uint32_t part, bool through_parts) const;

 private:
  // Visits each link between an operator of the node and another node.
  template <typename Visit>
  void for_each_neighbor(uint32_t node, const std::vector<std::vector<uint32_t>>& links, Visit visit) const;
  std::span<const uint32_t> members(uint32_t node, uint32_t& single) const;
  uint32_t earliest(uint32_t node) const;

  const std::vector<uint32_t>& part_of_;
  const OperatorLinks& links_;
  std::vector<std::vector<uint32_t>> members_;
};

}  // namespace nestrt::compiler
