// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/drop_quantization.h"

#include <unordered_map>
#include <utility>

#include "compiler-lite/graph/moves.h"

namespace nestrt::compiler {
namespace {

class QuantizationDropper {
 public:
  explicit QuantizationDropper(Graph& graph) : graph_(graph) {}

  Result<int> run() {
    std::vector<Node*> nodes;
    for (const auto& node : graph_.nodes()) nodes.push_back(node.get());
    for (Node* node : nodes) NESTRT_RETURN_IF_ERROR(visit(*node));
    graph_.tidy();
    return changes_;
  }

 private:
  Status visit(const Node& node) {
    if (node.as<ops::Quantize>() != nullptr) return add_quantized(node);
    if (node.as<ops::Dequantize>() != nullptr) {
      replace_dequantized(node);
      return {};
    }
    return moves_elements(node) ? add_moved(node) : Status();
  }

  // Returns the real numbers of integers, or kNoValue.
  ValueId real(ValueId integers) const {
    const auto found = reals_.find(integers);
    return found == reals_.end() ? kNoValue : found->second;
  }

  Status add_quantized(const Node& node) {
    const ValueId integers = node.outputs[0];
    NESTRT_ASSIGN_OR_RETURN(reals_[integers], limited(node.inputs[0], graph_.value(integers)));
    return {};
  }

  // Returns the real numbers limited to the range of the integers if that starts at zero.
  Result<ValueId> limited(ValueId id, const Value& integers) {
    const auto& quantization = integers.quantization;
    const int lowest = integers.type == DataType::kS8 ? -128 : 0;
    if (!quantization || quantization->scales.size() != 1 || quantization->zero_points.empty() ||
        quantization->zero_points[0] != lowest)
      return id;
    const ops::Unary clip{ops::UnaryKind::kClip, 0, 255 * quantization->scales[0]};
    const std::string name = integers.name + ".range";
    NESTRT_ASSIGN_OR_RETURN(const Node* node, graph_.add_node(name, clip, {id}, {name}));
    return node->outputs[0];
  }

  // Applies to the real numbers the same move that the node applies to the integers. A Reshape that keeps the shape
  // only changes the quantization of the integers, so its result has the same real numbers.
  Status add_moved(const Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId id : node.inputs) {
      inputs.push_back(id == kNoValue ? kNoValue : real(id));
      if (inputs.back() == kNoValue) return {};
    }
    const ValueId result = node.outputs[0];
    if (node.as<ops::Reshape>() != nullptr && graph_.value(inputs[0]).shape == graph_.value(result).shape) {
      reals_[result] = inputs[0];
      return {};
    }
    const std::string name = node.name + ".real", value = graph_.value(result).name + ".real";
    const ops::Attributes attributes = node.attributes;
    NESTRT_ASSIGN_OR_RETURN(const Node* moved, graph_.add_node(name, attributes, inputs, {value}));
    reals_[result] = moved->outputs[0];
    return {};
  }

  void replace_dequantized(const Node& node) {
    const ValueId numbers = real(node.inputs[0]), result = node.outputs[0];
    if (numbers == kNoValue || graph_.is_output(result)) return;
    graph_.replace_uses(result, numbers);
    ++changes_;
  }

  Graph& graph_;
  std::unordered_map<ValueId, ValueId> reals_;  // by integers
  int changes_ = 0;
};

}  // namespace

Result<int> drop_quantization(Graph& graph) { return QuantizationDropper(graph).run(); }

}  // namespace nestrt::compiler
