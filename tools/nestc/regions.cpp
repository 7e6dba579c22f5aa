// SPDX-License-Identifier: Apache-2.0
#include "tools/nestc/regions.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "nestrt/driver/plan_tables.h"
#include "runtime/plan/queries/dependencies.h"
#include "tools/support/text/printable.h"
#include "tools/support/text/table.h"

namespace nestrt::compiler {
namespace {

using scheduler::ParallelGroup;
using scheduler::Region;
using scheduler::RegionKind;
using scheduler::RegionTree;

std::string_view name(RegionKind kind) {
  switch (kind) {
    case RegionKind::kNode:
      return "branch";
    case RegionKind::kSeries:
      return "series";
    case RegionKind::kParallel:
      return "parallel";
    case RegionKind::kUnstructured:
      break;
  }
  return "unstructured";
}

class RegionPrinter {
 public:
  explicit RegionPrinter(const plan::Tables& plan)
      : plan_(plan), tree_(branch_regions(plan)), groups_(scheduler::parallel_groups(tree_)) {}

  void print() const {
    fmt::print("{} operators in {} branches, {} parallel groups\n\n", plan_.operators.size(), plan_.branches.size(),
               groups_.size());
    print_groups();
    if (!tree_.regions.empty()) print(root(), 0);
  }

  tools::Json json() const {
    tools::Json groups = tools::Json::array();
    for (const ParallelGroup& group : groups_) {
      groups.push_back({{"first_branch", first_branch(group)},
                        {"branches", group.branches},
                        {"skip", group.has_skip},
                        {"structured", group.is_structured},
                        {"nesting", group.nesting}});
    }
    return {{"groups", groups}, {"tree", tree_.regions.empty() ? tools::Json() : json(root())}};
  }

 private:
  uint32_t root() const { return static_cast<uint32_t>(tree_.regions.size() - 1); }
  uint32_t first_branch(const ParallelGroup& group) const { return tree_.nodes_of(group.region).front(); }

  const plan::Operator& operator_of(uint32_t branch, bool last) const {
    const auto& operators = plan_.branches[branch].operators;
    return plan_.operators[operators[last ? operators.size() - 1 : 0]];
  }
  std::string operator_name(uint32_t branch, bool last) const {
    return tools::printable(operator_of(branch, last).name);
  }

  static std::string describe(const ParallelGroup& group) {
    if (!group.is_structured) return "unstructured";
    return group.has_skip ? "parallel, one of them a skip" : "parallel";
  }

  void print_groups() const {
    if (groups_.empty()) return;
    using enum tools::Align;
    tools::Table table({{"group", kRight}, {"branches", kRight}, {"nested", kRight}, {"first operator"}, {"kind"}});
    for (size_t i = 0; i < groups_.size(); ++i) {
      const ParallelGroup& group = groups_[i];
      table.add_row({std::to_string(i), std::to_string(group.branches), std::to_string(group.nesting),
                     operator_name(first_branch(group), false), describe(group)});
    }
    fmt::print("{}\n", table.to_string());
  }

  void print(uint32_t index, int depth) const {
    const Region& region = tree_.regions[index];
    const std::string indent(static_cast<size_t>(2 * depth), ' ');
    if (region.kind == RegionKind::kNode) {
      const size_t count = plan_.branches[region.node].operators.size();
      fmt::print("{}branch {}: {}{}\n", indent, region.node, operator_name(region.node, false),
                 count == 1 ? "" : fmt::format(" .. {} ({} operators)", operator_name(region.node, true), count));
      return;
    }
    fmt::print("{}{}{}\n", indent, name(region.kind), region.has_skip ? ", and a skip" : "");
    for (const uint32_t child : region.children) print(child, depth + 1);
  }

  tools::Json json(uint32_t index) const {
    const Region& region = tree_.regions[index];
    tools::Json result = {{"kind", name(region.kind)}};
    if (region.kind == RegionKind::kNode) {
      tools::Json operators;
      for (const uint32_t op : plan_.branches[region.node].operators) operators.push_back(plan_.operators[op].name);
      result.set("branch", region.node);
      result.set("operators", std::move(operators));
      return result;
    }
    if (region.kind == RegionKind::kParallel) result.set("skip", region.has_skip);
    tools::Json children;
    for (const uint32_t child : region.children) children.push_back(json(child));
    result.set("children", std::move(children));
    return result;
  }

  const plan::Tables& plan_;
  const RegionTree tree_;
  const std::vector<ParallelGroup> groups_;
};

}  // namespace

scheduler::RegionTree branch_regions(const plan::Tables& plan) {
  return scheduler::find_regions(
      group_nodes(operator_predecessors(plan), branch_of_operators(plan), plan.branches.size()));
}

void print_regions(const plan::Tables& plan) { RegionPrinter(plan).print(); }
tools::Json regions_json(const plan::Tables& plan) { return RegionPrinter(plan).json(); }

}  // namespace nestrt::compiler
