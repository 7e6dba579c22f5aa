// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "compiler-lite/export/export.h"
#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

Result<std::string> write_softmax(NodeWriter& node) {
  const auto& op = node.attributes<ops::Softmax>();
  return node.write(op.log ? "LogSoftmax" : "Softmax", {node.real(0)}, {{"axis", int64_t{op.axis}}});
}

Result<std::string> write_lrn(NodeWriter& node) {
  const auto& op = node.attributes<ops::LocalResponseNorm>();
  return node.write("LRN", {node.real(0)},
                    {{"size", int64_t{op.size}}, {"alpha", op.alpha}, {"beta", op.beta}, {"bias", op.bias}});
}

Result<std::string> write_instance_norm(NodeWriter& node) {
  return node.write("InstanceNormalization", node.reals(3),
                    {{"epsilon", node.attributes<ops::InstanceNorm>().epsilon}});
}

// Writes (x - mean) / sqrt(variance + epsilon) * scale + bias.
std::string decomposed_layer_norm(NodeWriter& node, const ops::LayerNorm& op) {
  std::vector<int64_t> axes(static_cast<size_t>(node.operand(0).shape.rank() - op.axis));
  std::iota(axes.begin(), axes.end(), int64_t{op.axis});
  // Opset 17 introduced LayerNormalization, so this runs only for older opsets, in which the axes are an attribute.
  const auto mean = [&](const std::string& x) { return node.write("ReduceMean", {x}, {{"axes", axes}}); };
  const std::string x = node.real(0);
  const std::string centred = node.write("Sub", {x, mean(x)});
  const std::string variance = mean(node.write("Mul", {centred, centred}));
  const std::string spread = node.write("Sqrt", {node.write("Add", {variance, node.scalar(op.epsilon)})});
  const std::string scaled = node.write("Mul", {node.write("Div", {centred, spread}), node.real(1)});
  return node.has_input(2) ? node.write("Add", {scaled, node.real(2)}) : scaled;
}

Result<std::string> write_layer_norm(NodeWriter& node) {
  const auto& op = node.attributes<ops::LayerNorm>();
  if (node.opset() < 17) return decomposed_layer_norm(node, op);
  WrittenAttributes attributes = {{"axis", int64_t{op.axis}}, {"epsilon", op.epsilon}};
  if (node.form().all_attributes) attributes.emplace_back("stash_type", int64_t{1});
  return node.write("LayerNormalization", node.reals(3), std::move(attributes));
}

Result<std::string> write_lp_norm(NodeWriter& node) {
  const auto& op = node.attributes<ops::LpNorm>();
  return node.write("LpNormalization", {node.real(0)}, {{"axis", int64_t{op.axis}}, {"p", int64_t{op.p}}});
}

constexpr ExportRule kNormalizationExportRules[] = {
    {ops::Kind::kSoftmax, write_softmax},
    {ops::Kind::kLocalResponseNorm, write_lrn},
    {ops::Kind::kInstanceNorm, write_instance_norm},
    {ops::Kind::kLayerNorm, write_layer_norm},
    {ops::Kind::kLpNorm, write_lp_norm},
};

}  // namespace

std::span<const ExportRule> normalization_export_rules() { return kNormalizationExportRules; }

}  // namespace nestrt::compiler
