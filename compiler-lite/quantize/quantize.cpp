#include "compiler-lite/quantize/quantize.h"

#include <cstring>

#include "compiler-lite/passes/rewrite.h"
#include "compiler-lite/quantize/assignment.h"

namespace nestrt::compiler {
namespace {

plan::QuantizationT quantization(const std::vector<int>& exponents, int axis) {
  plan::QuantizationT result;
  result.exponents.assign(exponents.begin(), exponents.end());
  result.axis = exponents.size() == 1 ? -1 : axis;
  return result;
}

template <typename T>
Bytes to_bytes(const std::vector<T>& elements) {
  Bytes bytes(elements.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

class Rewriter {
 public:
  Rewriter(Graph& graph, const Assignment& assignment, const QuantizeOptions& options)
      : graph_(graph), assignment_(assignment), options_(options) {}

  Status run() {
    const std::vector<Node*> nodes = snapshot(graph_);
    for (Node* node : nodes)
      if (assignment_.nodes.count(node) != 0) NESTRT_RETURN_IF_ERROR(rewrite(node));
    // Whoever still takes the f32 value gets it from the s8 one; those that nobody takes go with tidy().
    for (Node* node : nodes) {
      const auto found = s8_.find(node->outputs[0]);
      if (assignment_.nodes.count(node) == 0 || found == s8_.end()) continue;
      node->name += ".dequantize";
      NESTRT_RETURN_IF_ERROR(replace(graph_, node, attributes(plan::DequantizeT{}), {found->second}).error());
    }
    graph_.tidy();
    return {};
  }

 private:
  // The s8 form of a value; a Quantize where there is none yet.
  Result<ValueId> s8_of(ValueId id) {
    const auto [found, is_new] = s8_.try_emplace(id, kNoValue);
    if (!is_new) return found->second;
    plan::QuantizeT table;
    table.rounding = options_.rounding;
    const std::string name = graph_.value(id).name;
    NESTRT_ASSIGN_OR_RETURN(Node * node,
                            graph_.add_node(name + ".quantize", attributes(std::move(table)), {id}, {name + ".s8"}));
    graph_.value(node->outputs[0]).quantization = quantization({assignment_.exponents.at(id)}, -1);
    return s8_[id] = node->outputs[0];
  }

  void set_rounding(plan::AttributesUnion* attributes, bool wide) const {
    if (auto* conv = attributes->AsConv()) {
      conv->rounding = options_.rounding;
      conv->wide_output = wide;
    } else if (auto* dense = attributes->AsDense()) {
      dense->rounding = options_.rounding;
      dense->wide_output = wide;
    } else if (auto* binary = attributes->AsBinary()) {
      binary->rounding = options_.rounding;
    } else if (auto* pool = attributes->AsPool()) {
      pool->rounding = options_.rounding;
    }
  }

  ValueId weights(const Node& node, const QuantizedProduct& product) {
    const Value old = graph_.value(node.inputs[1]);
    const ValueId id = graph_.add_constant(old.name + ".s8", DataType::kS8, old.shape, to_bytes(product.weights));
    graph_.value(id).quantization = quantization(product.exponents, output_channel_axis(node));
    return id;
  }

  ValueId bias(const Node& node, const QuantizedProduct& product) {
    const Value old = graph_.value(node.inputs[2]);
    return graph_.add_constant(old.name + ".s32", DataType::kS32, old.shape, to_bytes(product.bias));
  }

  Result<std::vector<ValueId>> operands(const Node& node) {
    std::vector<ValueId> result;
    const auto product = assignment_.products.find(&node);
    if (product == assignment_.products.end()) {
      for (ValueId id : node.inputs) {
        NESTRT_ASSIGN_OR_RETURN(const ValueId operand, s8_of(id));
        result.push_back(operand);
      }
      return result;
    }
    NESTRT_ASSIGN_OR_RETURN(const ValueId input, s8_of(node.inputs[0]));
    result = {input, weights(node, product->second)};
    if (node.input(2) != kNoValue) result.push_back(bias(node, product->second));
    return result;
  }

  Status rewrite(Node* node) {
    const bool wide = assignment_.wide.count(node) != 0;
    plan::AttributesUnion table = node->attributes;
    set_rounding(&table, wide);
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, operands(*node));
    if (wide) return replace(graph_, node, std::move(table), inputs).error();
    const ValueId old = node->outputs[0];
    NESTRT_ASSIGN_OR_RETURN(Node * added,
                            graph_.add_node(node->name, std::move(table), inputs, {graph_.value(old).name + ".s8"}));
    graph_.value(added->outputs[0]).quantization = quantization({assignment_.exponents.at(old)}, -1);
    s8_[old] = added->outputs[0];
    return {};
  }

  Graph& graph_;
  const Assignment& assignment_;
  const QuantizeOptions& options_;
  std::unordered_map<ValueId, ValueId> s8_;  // of f32 values
};

}  // namespace

Result<int> quantize(Graph& graph, const Exponents& exponents, const QuantizeOptions& options) {
  const Assignment assignment = assign(graph, exponents, options);
  NESTRT_RETURN_IF_ERROR(Rewriter(graph, assignment, options).run());
  return static_cast<int>(assignment.nodes.size());
}

}  // namespace nestrt::compiler
