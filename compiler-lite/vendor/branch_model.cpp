// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/branch_model.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace nestrt::compiler {
namespace {

class Extractor {
 public:
  Extractor(const Graph& graph, Subgraph nodes) : graph_(graph), nodes_(nodes) {
    for (const auto& node : nodes) inside_.insert(node.get());
  }

  Result<BranchModel> run() {
    find_borders();
    find_computed();
    model_.body = graph_.clone();
    cut_off_inputs();
    for (const auto& node : nodes_) forget_layout(*node);
    model_.body.outputs = {};
    for (const ValueId id : model_.outputs) NESTRT_RETURN_IF_ERROR(add_output(id));
    for (size_t id = 0; id < model_.body.num_values(); ++id)
      model_.body.value(static_cast<ValueId>(id)).layout = Layout::kPlain;
    model_.body.tidy();
    return std::move(model_);
  }

 private:
  void find_borders() {
    for (const auto& node : nodes_) {
      for (const ValueId id : node->inputs)
        if (id != kNoValue && !graph_.value(id).is_constant() && !inside_.contains(graph_.producer(id)))
          add_once(model_.inputs, id);
      for (const ValueId id : node->outputs) {
        const auto is_outside = [&](const Node* user) { return !inside_.contains(user); };
        if (graph_.is_output(id) || std::ranges::any_of(graph_.users(id), is_outside)) add_once(model_.outputs, id);
      }
    }
  }

  static void add_once(std::vector<ValueId>& list, ValueId id) {
    if (std::ranges::find(list, id) == list.end()) list.push_back(id);
  }

  // Turns values that other branches compute into inputs.
  void cut_off_inputs() {
    Graph& body = model_.body;
    body.inputs.clear();
    for (const ValueId id : model_.inputs) {
      Value value = body.value(id);
      const ValueId input = body.add_value(std::move(value));
      body.replace_uses(id, input);
      body.inputs.push_back({input, {}});
    }
  }

  // Removes Reorders, because a value is the same in any layout.
  void forget_layout(const Node& node) {
    if (node.kind() != ops::Kind::kReorder) return;
    const Node* const copy = model_.body.producer(node.outputs[0]);
    model_.body.replace_uses(node.outputs[0], copy->inputs[0]);
    plain_.emplace_back(node.outputs[0], copy->inputs[0]);
  }
  ValueId plain(ValueId id) const {
    const auto found = std::ranges::find(plain_, id, &std::pair<ValueId, ValueId>::first);
    return found == plain_.end() ? id : found->second;
  }

  Status add_output(ValueId id) {
    Graph& body = model_.body;
    const ValueId result = plain(id);
    if (!computed_.contains(id) || body.producer(result) == nullptr || body.is_output(result))
      return Status(Code::kUnsupported, "a result may be a view of another branch's result, or exists in two layouts");
    body.outputs.push_back(result);
    return {};
  }

  // Finds results of nodes that only move elements. Such results may be views of values that other branches compute.
  void find_computed() {
    for (const auto& node : nodes_) {
      const bool may_be_view = node->kind() == ops::Kind::kReshape || node->kind() == ops::Kind::kSlice ||
                               node->kind() == ops::Kind::kConcat;
      const auto is_own = [&](ValueId id) { return computed_.contains(id) || graph_.value(id).is_constant(); };
      if (!may_be_view || std::ranges::all_of(node->inputs, is_own))
        computed_.insert(node->outputs.begin(), node->outputs.end());
    }
  }

  const Graph& graph_;
  const Subgraph nodes_;
  std::unordered_set<const Node*> inside_;
  BranchModel model_;
  std::unordered_set<ValueId> computed_;
  std::vector<std::pair<ValueId, ValueId>> plain_;  // results of Reorders and the values they read
};

}  // namespace

Result<BranchModel> branch_model(const Graph& graph, Subgraph nodes) { return Extractor(graph, nodes).run(); }

}  // namespace nestrt::compiler
