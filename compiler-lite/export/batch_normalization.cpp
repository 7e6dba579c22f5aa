// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/batch_normalization.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "compiler-lite/export/export.h"

namespace nestrt::compiler {
namespace {

const Node* as_plain(const Node& node, ops::BinaryKind kind) {
  const ops::Binary* op = node.as<ops::Binary>();
  return op != nullptr && op->kind == kind && op->activation.kind == ops::ActivationKind::kNone ? &node : nullptr;
}

// Returns true for a constant of finite numbers with one element per channel of a tensor [N, C, ...].
bool is_by_channel(const Value& constant, const Shape& x) {
  if (!constant.is_constant() || constant.type != DataType::kF32 || constant.source_quantization) return false;
  if (x.rank() < 2 || constant.shape.rank() != x.rank() - 1 || constant.shape[0] != x[1]) return false;
  const auto elements = std::span(constant.data<float>(), static_cast<size_t>(constant.shape.num_elements()));
  return constant.shape.num_elements() == x[1] &&
         std::all_of(elements.begin(), elements.end(), [](float element) { return std::isfinite(element); });
}

}  // namespace

bool is_batch_normalization(const Graph& graph, const Node& product, const Node& sum) {
  if (as_plain(product, ops::BinaryKind::kMul) == nullptr || as_plain(sum, ops::BinaryKind::kAdd) == nullptr)
    return false;
  const Value& x = graph.value(product.inputs[0]);
  return product.name == sum.name && sum.inputs[0] == product.outputs[0] && graph.has_single_use(product.outputs[0]) &&
         x.type == DataType::kF32 && is_by_channel(graph.value(product.inputs[1]), x.shape) &&
         is_by_channel(graph.value(sum.inputs[1]), x.shape);
}

std::string write_batch_normalization(NodeWriter& node, const std::string& x, const Node& product) {
  const Value& factors = node.graph().value(product.inputs[1]);
  const auto by_channel = [&](ValueId id) {
    const Value& constant = node.graph().value(id);
    return node.floats({constant.data<float>(), constant.data<float>() + factors.shape[0]});
  };
  const auto& stated = factors.source_normalization;
  WrittenAttributes attributes = {{"epsilon", stated ? stated->epsilon : 0.0f}};
  if (node.form().all_attributes) attributes.emplace_back("momentum", 0.9f);
  if (node.form().all_attributes && node.opset() >= 14) attributes.emplace_back("training_mode", false);
  if (stated)
    return node.write("BatchNormalization",
                      {x, node.floats(stated->scale), node.floats(stated->bias), node.floats(stated->mean),
                       node.floats(stated->variance)},
                      std::move(attributes));
  const auto channels = static_cast<size_t>(factors.shape[0]);
  const std::string mean = node.floats(std::vector<float>(channels, 0.0f));
  const std::string variance = node.floats(std::vector<float>(channels, 1.0f));
  return node.write("BatchNormalization",
                    {x, by_channel(product.inputs[1]), by_channel(node.node().inputs[1]), mean, variance},
                    std::move(attributes));
}

}  // namespace nestrt::compiler
