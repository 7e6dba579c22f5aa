// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "compiler-lite/placement/assign_layouts.h"

namespace nestrt::compiler {
namespace {

// Maximum number of sweeps over the nodes. All tested networks converged after two.
constexpr int kMaxSweeps = 6;

// By enum value.
constexpr Layout kLayouts[] = {Layout::kPlain,   Layout::kBlocked16, Layout::kBlocked32,
                               Layout::kFolded2, Layout::kFolded4,   Layout::kFolded8};
constexpr size_t index_of(Layout layout) { return static_cast<size_t>(layout); }

int64_t bytes(const Value& value, Layout layout) { return storage_bytes(value.type, value.shape, layout); }

// The layouts chosen so far, and their cost in moved bytes.
class LayoutAssignment {
 public:
  explicit LayoutAssignment(const Graph& graph) : graph_(graph), values_(graph.num_values()) {
    for (ValueId id : graph.outputs) ++at(id).demands[index_of(Layout::kPlain)];
  }

  Layout layout(ValueId id) const { return values_[static_cast<size_t>(id)].layout; }

  // Adds (count 1) or removes (count -1) the node's demands under `option`.
  void apply(const Node& node, const LayoutOption& option, int count) {
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != kNoValue) at(node.inputs[i]).demands[index_of(option.inputs[i])] += count;
    for (ValueId id : node.outputs) at(id).layout = count > 0 ? option.output : Layout::kPlain;
  }

  // Returns the bytes moved by the node and by the Reorders of its operands. Requires: `option` is applied.
  int64_t cost(const Node& node, const LayoutOption& option) const {
    int64_t own = 0, reorders = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoValue || graph_.value(node.inputs[i]).is_constant()) continue;
      own += bytes(graph_.value(node.inputs[i]), option.inputs[i]);
      reorders += reorder_cost(node.inputs[i]);
    }
    for (ValueId id : node.outputs) {
      own += bytes(graph_.value(id), option.output);
      reorders += reorder_cost(id);
    }
    return own * option.slowdown + reorders;
  }

 private:
  struct Entry {
    Layout layout = Layout::kPlain;
    std::array<int, std::size(kLayouts)> demands{};  // by layout: number of operands that demand it
  };
  Entry& at(ValueId id) { return values_[static_cast<size_t>(id)]; }

  int64_t reorder_cost(ValueId id) const {
    const Entry& entry = values_[static_cast<size_t>(id)];
    const Value& value = graph_.value(id);
    int64_t cost = 0;
    for (const Layout other : kLayouts)
      if (other != entry.layout && entry.demands[index_of(other)] > 0)
        cost += bytes(value, entry.layout) + bytes(value, other);
    return cost;
  }

  const Graph& graph_;
  std::vector<Entry> values_;
};

struct Decision {
  Node* node = nullptr;
  std::vector<LayoutOption> options;
  size_t chosen = 0;
  bool decided = false;

  const LayoutOption& option() const { return options[chosen]; }
};

// Chooses the cheapest option, given the current decisions for other nodes. Returns true if the choice changed.
bool decide(Decision& decision, LayoutAssignment& assignment) {
  if (decision.decided) assignment.apply(*decision.node, decision.option(), -1);
  size_t best = decision.chosen;
  int64_t best_cost = 0;
  for (size_t step = 0; step < decision.options.size(); ++step) {
    // Starts with the current option, so that an equal cost changes nothing.
    const size_t candidate = (decision.chosen + step) % decision.options.size();
    const LayoutOption& option = decision.options[candidate];
    assignment.apply(*decision.node, option, 1);
    const int64_t cost = assignment.cost(*decision.node, option);
    assignment.apply(*decision.node, option, -1);
    if (step == 0 || cost < best_cost) {
      best = candidate;
      best_cost = cost;
    }
  }
  const bool changed = best != decision.chosen;
  decision.chosen = best;
  decision.decided = true;
  assignment.apply(*decision.node, decision.option(), 1);
  return changed;
}

// Penalty if another unit supports the node but not in these layouts. It exceeds the cost of the Reorders around a
// single node.
constexpr int64_t kExcludedUnitSlowdown = 4;

bool offers(const std::vector<LayoutOption>& options, const LayoutOption& wanted) {
  return std::any_of(options.begin(), options.end(), [&](const LayoutOption& option) {
    return option.inputs == wanted.inputs && option.output == wanted.output;
  });
}

// Returns the host's options, with a slowdown for those that exclude another unit.
std::vector<LayoutOption> options_of(const Graph& graph, const Node& node, const Backends& backends) {
  std::vector<LayoutOption> options = backends[0]->layouts(graph, node);
  for (size_t i = 1; i < backends.size() && options.size() > 1; ++i) {
    const std::vector<LayoutOption> others = backends[i]->layouts(graph, node);
    const bool any =
        std::any_of(options.begin(), options.end(), [&](const LayoutOption& option) { return offers(others, option); });
    for (LayoutOption& option : options)
      if (any && !offers(others, option)) option.slowdown *= kExcludedUnitSlowdown;
  }
  return options;
}

std::vector<Decision> decide_all(const Graph& graph, const Backends& backends, LayoutAssignment& assignment) {
  std::vector<Decision> decisions;
  for (const auto& node : graph.nodes()) {
    Decision decision{node.get(), options_of(graph, *node, backends), 0, false};
    if (decision.options.empty()) decision.options = {{std::vector<Layout>(node->inputs.size()), Layout::kPlain}};
    decisions.push_back(std::move(decision));
  }
  for (Decision& decision : decisions)
    if (decision.options.size() == 1) decide(decision, assignment);
  bool changed = true;
  for (int sweep = 0; sweep < kMaxSweeps && changed; ++sweep) {
    changed = sweep == 0;
    for (Decision& decision : decisions)
      if (decision.options.size() > 1) changed |= decide(decision, assignment);
  }
  return decisions;
}

// Inserts Reorders and sets the layouts of values.
class LayoutRewriter {
 public:
  LayoutRewriter(Graph& graph, const LayoutAssignment& assignment)
      : graph_(graph), assignment_(assignment), reordered_(graph.num_values(), not_reordered()) {}

  Status run(const std::vector<Decision>& decisions) {
    // Converts outputs first, so that their Reorders get the outputs' names.
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      if (assignment_.layout(graph_.outputs[i]) == Layout::kPlain) continue;
      NESTRT_ASSIGN_OR_RETURN(const ValueId plain, reordered(graph_.outputs[i], Layout::kPlain, true));
      graph_.outputs.set(i, plain);
    }
    for (const Decision& decision : decisions) {
      for (size_t i = 0; i < decision.node->inputs.size(); ++i) {
        const ValueId id = decision.node->inputs[i];
        if (id == kNoValue || decision.option().inputs[i] == assignment_.layout(id)) continue;
        NESTRT_ASSIGN_OR_RETURN(const ValueId other, reordered(id, decision.option().inputs[i], false));
        graph_.set_input(decision.node, i, other);
      }
      for (ValueId id : decision.node->outputs) graph_.value(id).layout = decision.option().output;
    }
    graph_.tidy();
    return ok_status();
  }
  int reorders() const { return reorders_; }

 private:
  using ByLayout = std::array<ValueId, std::size(kLayouts)>;

  static ByLayout not_reordered() {
    ByLayout result;
    result.fill(kNoValue);
    return result;
  }

  // Returns the value in another layout.
  Result<ValueId> reordered(ValueId id, Layout layout, bool is_output) {
    ValueId& other = reordered_[static_cast<size_t>(id)][index_of(layout)];
    if (other != kNoValue) return other;
    const std::string name = graph_.value(id).name;
    std::string inner = name;  // name of the value that is not the graph's output
    inner.append(".").append(nestrt::name(is_output ? assignment_.layout(id) : layout));
    const std::string node_name = (is_folded(layout) ? inner : name) + ".reorder";
    NESTRT_ASSIGN_OR_RETURN(Node * node, graph_.add_node(node_name, ops::Reorder{}, {id}, {is_output ? name : inner}));
    if (is_output) graph_.value(id).name = inner;
    graph_.value(node->outputs[0]).layout = layout;
    graph_.value(node->outputs[0]).quantization = graph_.value(id).quantization;
    ++reorders_;
    return other = node->outputs[0];
  }

  Graph& graph_;
  const LayoutAssignment& assignment_;
  std::vector<ByLayout> reordered_;  // by value: its copies in other layouts
  int reorders_ = 0;
};

}  // namespace

Result<int> assign_layouts(Graph& graph, const Backends& backends) {
  LayoutAssignment assignment(graph);
  const std::vector<Decision> decisions = decide_all(graph, backends, assignment);
  LayoutRewriter rewriter(graph, assignment);
  NESTRT_RETURN_IF_ERROR(rewriter.run(decisions));
  return rewriter.reorders();
}

}  // namespace nestrt::compiler
