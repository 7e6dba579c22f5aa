// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/quantize.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/graph/rounding.h"
#include "compiler-lite/passes/product.h"
#include "compiler-lite/passes/rewrite.h"
#include "compiler-lite/quantize/assignment.h"
#include "compiler-lite/quantize/equalise.h"

namespace nestrt::compiler {
namespace {

plan::Quantization quantization(const std::vector<int>& exponents, int axis) {
  plan::Quantization result;
  result.exponents.assign(exponents.begin(), exponents.end());
  result.axis = exponents.size() == 1 ? -1 : axis;
  return result;
}

class GraphQuantizer {
 public:
  GraphQuantizer(Graph& graph, const Assignment& assignment, const QuantizeOptions& options)
      : graph_(graph), assignment_(assignment), exponents_(assignment.exponents), options_(options) {}

  Status run() {
    const std::vector<Node*> nodes = snapshot(graph_);
    for (Node* node : nodes)
      if (assignment_.nodes.count(node) != 0) NESTRT_RETURN_IF_ERROR(rewrite(node));
    // f32 readers get the dequantized s8 value. tidy() removes those without readers.
    for (Node* node : nodes) {
      const auto found = s8_.find(node->outputs[0]);
      if (assignment_.nodes.count(node) == 0 || assignment_.wide.count(node) != 0 || found == s8_.end()) continue;
      node->name += ".dequantize";
      NESTRT_RETURN_IF_ERROR(replace(graph_, node, ops::Dequantize{}, {found->second}).error());
    }
    graph_.tidy();
    return {};
  }

 private:
  std::string s8_name(ValueId id) const { return graph_.value(id).name + std::string(kS8Suffix); }

  // Returns the s8 form of a value; adds a Quantize if it does not exist yet.
  Result<ValueId> s8_of(ValueId id) {
    const auto [found, is_new] = s8_.try_emplace(id, kNoValue);
    if (!is_new) return found->second;
    const std::string name = graph_.value(id).name;
    const ops::Quantize quantize{.rounding = rounding_of_reals(options_.rounding)};
    NESTRT_ASSIGN_OR_RETURN(Node * node, graph_.add_node(name + ".quantize", quantize, {id}, {s8_name(id)}));
    graph_.value(node->outputs[0]).quantization = quantization({exponents_.at(id)}, -1);
    return s8_[id] = node->outputs[0];
  }

  ops::Attributes s8_attributes(const Node& node, bool wide) const {
    ops::Attributes result = node.attributes;
    const auto set_product = [&](auto& product) {
      product.rounding = options_.rounding;
      product.wide_output = wide;
      if (wide) product.activation = {};
    };
    if (auto* conv = std::get_if<ops::Conv>(&result)) set_product(*conv);
    if (auto* dense = std::get_if<ops::Dense>(&result)) set_product(*dense);
    if (auto* binary = std::get_if<ops::Binary>(&result)) binary->rounding = options_.rounding;
    if (auto* pool = std::get_if<ops::Pool>(&result)) pool->rounding = options_.rounding;
    return result;
  }

  ValueId weights(const Node& node, const QuantizedProduct& product) {
    const Value old = graph_.value(node.inputs[kWeights]);
    const ValueId id = graph_.add_constant(old.name + ".s8", DataType::kS8, old.shape, to_bytes(product.weights));
    graph_.value(id).quantization = quantization(product.exponents, output_channel_axis(node));
    return id;
  }

  ValueId bias(const Node& node, const QuantizedProduct& product) {
    const std::string name =
        node.input(kBias) == kNoValue ? node.name + ".bias" : graph_.value(node.inputs[kBias]).name;
    return graph_.add_constant(name + ".s32", DataType::kS32, Shape{static_cast<int64_t>(product.bias.size())},
                               to_bytes(product.bias));
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
    if (!product->second.bias.empty()) result.push_back(bias(node, product->second));
    return result;
  }

  Status rewrite(Node* node) {
    if (assignment_.wide.count(node) != 0) return rewrite_wide(node);
    NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, operands(*node));
    const ValueId old = node->outputs[0];
    NESTRT_ASSIGN_OR_RETURN(Node * added,
                            graph_.add_node(node->name, s8_attributes(*node, false), inputs, {s8_name(old)}));
    graph_.value(added->outputs[0]).quantization = quantization({exponents_.at(old)}, -1);
    s8_[old] = added->outputs[0];
    return {};
  }

  // Rewrites a product with a wide output. Its activation becomes a separate node.
  Status rewrite_wide(Node* node) {
    const ValueId old = node->outputs[0];
    NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, operands(*node));
    ops::Attributes attributes = s8_attributes(*node, true);
    if (const ops::Activation activation = product_activation(*node); activation.kind != ops::ActivationKind::kNone) {
      NESTRT_ASSIGN_OR_RETURN(Node * product, graph_.add_node(node->name, std::move(attributes), inputs,
                                                              {graph_.value(old).name + ".accumulator"}));
      attributes = as_unary(activation);
      inputs = product->outputs;
      node->name += ".activation";
    }
    NESTRT_ASSIGN_OR_RETURN(const Node* last, replace(graph_, node, std::move(attributes), inputs));
    if (const auto known = exponents_.find(old); known != exponents_.end())
      exponents_[last->outputs[0]] = known->second;
    return {};
  }

  Graph& graph_;
  const Assignment& assignment_;
  std::unordered_map<ValueId, int> exponents_;  // exponents of the assignment and of replaced values
  const QuantizeOptions& options_;
  std::unordered_map<ValueId, ValueId> s8_;  // by f32 value
};

Status check_names(const Graph& graph, const std::set<std::string, std::less<>>& names) {
  for (const std::string& name : names) {
    if (std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const auto& node) { return node->name == name; }))
      continue;
    return Status(Code::kInvalidArgument, fmt::format("--keep-f32 {}: the optimised network has no operator of this "
                                                      "name; nestc inspect MODEL lists its operators",
                                                      name));
  }
  return {};
}

}  // namespace

Result<QuantizationReport> quantize(Graph& graph, const QuantizationProfile& profile, const QuantizeOptions& options) {
  NESTRT_RETURN_IF_ERROR(check_names(graph, options.keep_f32));
  QuantizationProfile equalised = profile;
  if (options.corrections.equalisation && options.per_channel && options.scales == Scales::kTensor)
    equalise(graph, equalised);
  if (options.constants) replace_constants(graph, *options.constants);
  Assignment assignment = assign(graph, equalised, options);
  NESTRT_RETURN_IF_ERROR(GraphQuantizer(graph, assignment, options).run());
  graph.qdq_rounding = options.rounding;
  return QuantizationReport{static_cast<int>(assignment.nodes.size()), std::move(assignment.kept)};
}

}  // namespace nestrt::compiler
