// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/calibrate/observed_values.h"

#include <algorithm>

namespace nestrt::compiler {
namespace {

// Returns true for operators that combine attention scores and masks.
bool combines_scores(const Node& node) {
  if (const auto* binary = node.as<ops::Binary>()) return binary->kind == ops::BinaryKind::kAdd;
  switch (node.kind()) {
    case ops::Kind::kSelect:
    case ops::Kind::kReshape:
    case ops::Kind::kTranspose:
    case ops::Kind::kPad:
    case ops::Kind::kReduce:
      return true;
    default:
      return false;
  }
}

class Scores {
 public:
  explicit Scores(const Graph& graph) : graph_(graph), reaches_softmax_alone_(graph.num_values()) {
    for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node)
      for (const ValueId id : (*node)->outputs) reaches_softmax_alone_[static_cast<size_t>(id)] = is_for_softmax(id);
  }

  // Returns true for a mask, or for scores that may have been masked.
  bool contains(ValueId id) const {
    const Node* producer = graph_.producer(id);
    return producer != nullptr && combines_scores(*producer) && reaches_softmax_alone_[static_cast<size_t>(id)];
  }

 private:
  bool is_for_softmax(ValueId id) const {
    const std::vector<Node*>& users = graph_.users(id);
    return !graph_.is_output(id) && !users.empty() &&
           std::ranges::all_of(users, [&](const Node* user) { return takes_scores(*user); });
  }

  bool takes_scores(const Node& user) const {
    const ValueId result = user.outputs[0];
    if (user.kind() == ops::Kind::kSoftmax || graph_.value(result).type == DataType::kBool) return true;
    return combines_scores(user) && reaches_softmax_alone_[static_cast<size_t>(result)];
  }

  const Graph& graph_;
  std::vector<bool> reaches_softmax_alone_;
};

}  // namespace

std::vector<std::string> observed_values(const Graph& graph) {
  const Scores scores(graph);
  std::vector<std::string> names;
  const auto add = [&](ValueId id) {
    if (graph.value(id).type == DataType::kF32 && !scores.contains(id)) names.push_back(graph.value(id).name);
  };
  for (const GraphInput& input : graph.inputs) add(input.value);
  for (const auto& node : graph.nodes())
    for (const ValueId id : node->outputs) add(id);
  return names;
}

}  // namespace nestrt::compiler
