// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/automatic.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_set>
#include <utility>

#include "compiler-lite/export/onnx_forms.h"
#include "compiler-lite/parts/cutting/offload_cost.h"
#include "compiler-lite/parts/cutting/supported.h"

namespace nestrt::compiler {
namespace {

// Disjoint-set forest of operators (R. E. Tarjan, Efficiency of a Good But Not Linear Set Union Algorithm, 1975, with
// path halving).
class DisjointSets {
 public:
  explicit DisjointSets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }
  uint32_t find(uint32_t element) {
    while (parent_[element] != element) element = parent_[element] = parent_[parent_[element]];
    return element;
  }
  void join(uint32_t a, uint32_t b) { parent_[std::max(find(a), find(b))] = std::min(find(a), find(b)); }

 private:
  std::vector<uint32_t> parent_;
};

class Partitioner {
 public:
  Partitioner(const Graph& graph, const Capability& capability)
      : graph_(graph),
        capability_(capability),
        operators_(model_operators(graph)),
        links_(operator_links(graph, operators_)),
        reasons_(operators_.size()) {}

  Result<AutomaticParts> run(const ExportForm& form) {
    NESTRT_RETURN_IF_ERROR(find_supported(form));
    std::vector<Region> found = regions();
    while (drop_small(found)) found = regions();
    AutomaticParts result;
    for (const Region& region : found)
      result.parts.push_back({fmt::format("vendor{}", result.parts.size()), capability_.name, region});
    for (uint32_t op = 0; op < operators_.size(); ++op)
      if (!reasons_[op].empty()) result.rejected.push_back({op, reasons_[op]});
    return result;
  }

 private:
  using Region = std::vector<uint32_t>;  // operators in the model's order

  std::span<const std::unique_ptr<Node>> nodes_of(uint32_t op) const {
    return std::span(graph_.nodes()).subspan(operators_[op].first, operators_[op].count);
  }
  bool is_taken(uint32_t op) const { return reasons_[op].empty(); }

  Status find_supported(const ExportForm& form) {
    NESTRT_ASSIGN_OR_RETURN(const auto forms, onnx_forms(graph_, form));
    for (uint32_t op = 0; op < operators_.size(); ++op) {
      for (size_t i = 0; i < operators_[op].count && is_taken(op); ++i) {
        const size_t node = operators_[op].first + i;
        reasons_[op] = refusal(graph_, *graph_.nodes()[node], forms[node], capability_);
      }
      if (is_taken(op) && weights_of({op}) > capability_.weight_bytes)
        reasons_[op] =
            fmt::format("its constants occupy {} bytes, more than {}", weights_of({op}), capability_.weight_bytes);
    }
    return {};
  }

  // Returns the ranks of the operators. An accepted operator ranks one above the rejected operators that it reads from.
  // Linked operators of equal rank therefore depend on each other only directly and can be computed together.
  std::vector<uint32_t> ranks() const {
    std::vector<uint32_t> rank(operators_.size(), 0);
    for (uint32_t op = 0; op < operators_.size(); ++op)
      for (const uint32_t source : links_.reads[op])
        rank[op] = std::max(rank[op], rank[source] + (is_taken(op) && !is_taken(source) ? 1 : 0));
    return rank;
  }

  std::vector<Region> regions() const {
    const std::vector<uint32_t> rank = ranks();
    DisjointSets sets(operators_.size());
    for (uint32_t op = 0; op < operators_.size(); ++op)
      for (const uint32_t source : links_.reads[op])
        if (is_taken(op) && is_taken(source) && rank[op] == rank[source]) sets.join(op, source);
    std::map<uint32_t, Region> by_root;
    for (uint32_t op = 0; op < operators_.size(); ++op)
      if (is_taken(op)) by_root[sets.find(op)].push_back(op);
    std::vector<Region> result;
    for (auto& [unused, region] : by_root) divide(region, result);
    return result;
  }

  // Divides a region, in the model's order, into parts whose constants fit the memory.
  void divide(const Region& region, std::vector<Region>& result) const {
    std::unordered_set<ValueId> constants;
    uint64_t bytes = 0;
    result.emplace_back();
    for (const uint32_t op : region) {
      const uint64_t more = add_constants(op, constants);
      if (bytes + more > capability_.weight_bytes && !result.back().empty()) {
        result.emplace_back();
        constants.clear();
        bytes = 0;
        add_constants(op, constants);
      }
      bytes += more;
      result.back().push_back(op);
    }
  }

  // Returns the bytes of an operator's constants that are not in `known`, and adds them to `known`.
  uint64_t add_constants(uint32_t op, std::unordered_set<ValueId>& known) const {
    uint64_t bytes = 0;
    for (const auto& node : nodes_of(op))
      for (const ValueId id : node->inputs)
        if (id != kNoValue && graph_.value(id).is_constant() && known.insert(id).second)
          bytes += plain_bytes(graph_.value(id));
    return bytes;
  }
  uint64_t weights_of(const Region& region) const {
    std::unordered_set<ValueId> constants;
    uint64_t bytes = 0;
    for (const uint32_t op : region) bytes += add_constants(op, constants);
    return bytes;
  }

  RegionSize size_of(const Region& region) const {
    RegionSize size{region.size(), 0, border_bytes(region)};
    for (const uint32_t op : region) size.macs += macs_of(graph_, nodes_of(op));
    return size;
  }

  // Returns the bytes that cross the borders of a region.
  uint64_t border_bytes(const Region& region) const {
    std::unordered_set<const Node*> inside;
    for (const uint32_t op : region)
      for (const auto& node : nodes_of(op)) inside.insert(node.get());
    std::set<ValueId> borders;
    for (const Node* node : inside) {
      for (const ValueId id : node->inputs)
        if (id != kNoValue && !graph_.value(id).is_constant() && inside.count(graph_.producer(id)) == 0)
          borders.insert(id);
      for (const ValueId id : node->outputs) {
        const auto& users = graph_.users(id);
        const auto is_outside = [&](const Node* user) { return inside.count(user) == 0; };
        if (graph_.is_output(id) || std::any_of(users.begin(), users.end(), is_outside)) borders.insert(id);
      }
    }
    uint64_t bytes = 0;
    for (const ValueId id : borders) bytes += plain_bytes(graph_.value(id));
    return bytes;
  }

  // Rejects the operators of regions that are too small. Returns true if any was rejected. Rejected operators may split
  // regions, so the regions must then be computed again.
  bool drop_small(const std::vector<Region>& found) {
    bool dropped = false;
    for (const Region& region : found) {
      const std::string why = too_small(capability_, size_of(region));
      if (why.empty()) continue;
      dropped = true;
      for (const uint32_t op : region) reasons_[op] = why;
    }
    return dropped;
  }

  const Graph& graph_;
  const Capability& capability_;
  const std::vector<ModelOperator> operators_;
  const OperatorLinks links_;
  std::vector<std::string> reasons_;  // by operator: the reason for its rejection; empty if accepted
};

}  // namespace

Result<AutomaticParts> automatic_parts(const Graph& graph, const Capability& capability, const ExportForm& form) {
  return Partitioner(graph, capability).run(form);
}

}  // namespace nestrt::compiler
