// Parts, and operators that are in none, as the nodes of a graph: part p is p, operator o is num_parts() + o.
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
  using Link = std::pair<uint32_t, uint32_t>;  // an operator, and one that reads its result

  // `part_of`: by operator; kNoPart where it is in none. Both must outlive the Quotient.
  Quotient(const std::vector<uint32_t>& part_of, size_t num_parts, const OperatorLinks& links);

  uint32_t num_parts() const { return static_cast<uint32_t>(members_.size()); }
  uint32_t size() const { return num_parts() + static_cast<uint32_t>(part_of_.size()); }
  uint32_t node_of(uint32_t op) const { return part_of_[op] == kNoPart ? num_parts() + op : part_of_[op]; }
  bool is_part(uint32_t node) const { return node < num_parts(); }
  bool exists(uint32_t node) const { return is_part(node) || part_of_[node - num_parts()] == kNoPart; }

  // The links of operators that lead out of the node, or into it.
  std::vector<Link> links_from(uint32_t node) const;
  std::vector<Link> links_to(uint32_t node) const;

  // Nodes each after those that they read from, of several the one with the earliest operator first; fewer than there
  // are where some wait for each other.
  std::vector<uint32_t> order() const;

  // Nodes that need each other in a circle; empty where there are none.
  std::vector<uint32_t> circle() const;

  // The links of a shortest way from a part back to it; empty where there is none. `through_parts`: other parts are
  // crossed from any operator to any other, else only along links.
  std::vector<Link> way_back(uint32_t part, bool through_parts) const;

 private:
  // Each operator of the node with each of its links that lies in another.
  template <typename Visit>
  void for_each_neighbor(uint32_t node, const std::vector<std::vector<uint32_t>>& links, Visit visit) const;
  std::span<const uint32_t> members(uint32_t node, uint32_t& single) const;
  uint32_t earliest(uint32_t node) const;

  const std::vector<uint32_t>& part_of_;
  const OperatorLinks& links_;
  std::vector<std::vector<uint32_t>> members_;
};

}  // namespace nestrt::compiler
