// SPDX-License-Identifier: Apache-2.0
// Fused operators that ONNX Runtime's optimizer writes. Each is decomposed into the original operators.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;
using ops::UnaryKind;

// An activation by name with its parameters, which default to those of the operator of the same name.
constexpr struct {
  std::string_view name;
  UnaryKind kind;
  float alpha, beta;
} kFusedActivations[] = {
    {"Clip", UnaryKind::kClip, -3.4028234663852886e38f, 3.4028234663852886e38f},
    {"HardSigmoid", UnaryKind::kHardSigmoid, 0.2f, 0.5f},
    {"LeakyRelu", UnaryKind::kLeakyRelu, 0.01f, 0},
    {"Relu", UnaryKind::kRelu, 0, 0},
    {"Sigmoid", UnaryKind::kSigmoid, 0, 0},
    {"Tanh", UnaryKind::kTanh, 0, 0},
};

// Applies the activation `name`; returns the input if the name is empty.
Result<ValueId> activated(NodeContext& node, ValueId x, const std::string& name, const std::vector<float>& parameters) {
  if (name.empty()) return x;
  const auto* const found =
      std::ranges::find_if(kFusedActivations, [&](const auto& activation) { return activation.name == name; });
  if (found == std::end(kFusedActivations))
    return node.unsupported(fmt::format("activation '{}' is not supported; compile the original model", name));
  return node.unary(found->kind, x, parameters.empty() ? found->alpha : parameters[0],
                    parameters.size() < 2 ? found->beta : parameters[1]);
}

// y = activation(conv(x, w) + bias + z)
Status import_fused_conv(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(ops::Conv conv, read_conv(node, node.shape(x), node.shape(weights)));
  std::vector<ValueId> operands = {x, weights};
  if (node.has_input(2)) operands.push_back(node.optional_input(2));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.add(std::move(conv), std::move(operands)));
  if (node.has_input(3)) {
    NESTRT_ASSIGN_OR_RETURN(y, node.binary(BinaryKind::kAdd, y, node.optional_input(3)));
  }
  return node.set_output(
      activated(node, y, node.attribute("activation", ""), node.attribute("activation_params", std::vector<float>())));
}

// Transposes each matrix of a tensor (the last two axes).
Result<ValueId> with_transposed_matrices(NodeContext& node, ValueId id) {
  const int rank = node.shape(id).rank();
  if (rank < 2) return id;
  std::vector<int> order;
  for (int axis = 0; axis < rank; ++axis) order.push_back(axis);
  std::swap(order[static_cast<size_t>(rank - 1)], order[static_cast<size_t>(rank - 2)]);
  return node.transpose(id, order);
}

Status import_fused_mat_mul(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(ValueId b, node.input(1));
  if (node.flag("transBatchA", false) || node.flag("transBatchB", false))
    return node.unsupported("transBatchA and transBatchB are not supported; compile the original model");
  if (node.flag("transA", false)) {
    NESTRT_ASSIGN_OR_RETURN(a, with_transposed_matrices(node, a));
  }
  if (node.flag("transB", false)) {
    NESTRT_ASSIGN_OR_RETURN(b, with_transposed_matrices(node, b));
  }
  NESTRT_ASSIGN_OR_RETURN(ValueId y, matrix_product(node, a, b));
  if (const float alpha = node.attribute("alpha", 1.0f); alpha != 1.0f) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId factor, node.scalar(alpha));
    NESTRT_ASSIGN_OR_RETURN(y, node.binary(BinaryKind::kMul, y, factor));
  }
  return node.set_output(0, y);
}

Status import_fused_gemm(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, read_gemm(node));
  std::vector<float> parameters;
  for (const char* name : {"activation_alpha", "activation_beta"})
    if (node.has_attribute(name)) parameters.push_back(node.attribute(name, 0.0f));
  node.ignore("activation_gamma");  // applies only to activations that are not supported
  return node.set_output(activated(node, y, node.attribute("activation", ""), parameters));
}

// gelu(x + bias), exactly or with tanh.
template <bool kTanh>
Status import_gelu_form(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(BinaryKind::kAdd, x, node.optional_input(1)));
  }
  return node.set_output(node.unary(UnaryKind::kGelu, x, kTanh ? 1.0f : 0.0f));
}

// x * sigmoid(alpha * x)
Status import_quick_gelu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId alpha, node.scalar(node.attribute("alpha", 1.702f)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scaled, node.binary(BinaryKind::kMul, x, alpha));
  NESTRT_ASSIGN_OR_RETURN(const ValueId gate, node.unary(UnaryKind::kSigmoid, scaled));
  return node.set_output(node.binary(BinaryKind::kMul, x, gate));
}

// Layer normalization of x + skip + bias; the last output is the sum x + skip + bias.
Status import_skip_layer_norm(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId skip, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, node.input(2));
  NESTRT_ASSIGN_OR_RETURN(ValueId sum, node.binary(BinaryKind::kAdd, x, skip));
  if (node.has_input(4)) {
    NESTRT_ASSIGN_OR_RETURN(sum, node.binary(BinaryKind::kAdd, sum, node.optional_input(4)));
  }
  std::vector<ValueId> operands = {sum, scale};
  if (node.has_input(3)) operands.push_back(node.optional_input(3));
  ops::LayerNorm norm;
  norm.axis = node.shape(sum).rank() - 1;
  norm.epsilon = node.attribute("epsilon", 1e-12f);
  NESTRT_RETURN_IF_ERROR(node.set_output(3, sum));
  return node.finish(norm, std::move(operands));
}

constexpr ImportRule kFusedFormsRules[] = {
    {"com.microsoft.BiasGelu", import_gelu_form<false>, 0},
    {"com.microsoft.FastGelu", import_gelu_form<true>, 0},
    {"com.microsoft.FusedConv", import_fused_conv, 0},
    {"com.microsoft.FusedGemm", import_fused_gemm, 0},
    {"com.microsoft.FusedMatMul", import_fused_mat_mul, 0},
    {"com.microsoft.Gelu", import_gelu_form<false>, 0},
    {"com.microsoft.QuickGelu", import_quick_gelu, 0},
    {"com.microsoft.SkipLayerNormalization", import_skip_layer_norm, 0},
};

}  // namespace

std::span<const ImportRule> fused_rules() { return kFusedFormsRules; }

}  // namespace nestrt::compiler
