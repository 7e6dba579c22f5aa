#include "compiler-lite/calibrate/observed_values.h"

#include <algorithm>

#include "compiler-lite/passes/product.h"

namespace nestrt::compiler {
namespace {

// Operators that make scores of scores and masks.
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
  explicit Scores(const Graph& graph) : graph_(graph), found_(graph.num_values()) {
    for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node)
      for (const ValueId id : (*node)->outputs) found_[static_cast<size_t>(id)] = reaches_softmax_alone(id);
    for (const GraphInput& input : graph.inputs)
      found_[static_cast<size_t>(input.value)] = reaches_softmax_alone(input.value);
  }

  bool contains(ValueId id) const { return found_[static_cast<size_t>(id)]; }

 private:
  // The means of a product's outputs correct its bias.
  bool reaches_softmax_alone(ValueId id) const {
    const Node* producer = graph_.producer(id);
    if (graph_.is_output(id) || (producer != nullptr && is_product(*producer))) return false;
    const std::vector<Node*>& users = graph_.users(id);
    return !users.empty() && std::ranges::all_of(users, [&](const Node* user) { return takes_scores(*user); });
  }

  bool takes_scores(const Node& user) const {
    const ValueId result = user.outputs[0];
    if (user.kind() == ops::Kind::kSoftmax || graph_.value(result).type == DataType::kBool) return true;
    return combines_scores(user) && contains(result);
  }

  const Graph& graph_;
  std::vector<bool> found_;
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
