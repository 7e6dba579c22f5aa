// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export.h"
#include "compiler-lite/export/ops/activations.h"
#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/export/ops/products.h"
#include "compiler-lite/export/ops/window.h"

namespace nestrt::compiler {
namespace {

constexpr size_t kResidual = 3;

// Rounds the result of an s8 convolution as nestrt does before it adds the residual.
std::string rounded_before_residual(NodeWriter& node, const ops::Conv& op, const std::string& y) {
  if (!node.operand(kResidual).quantization) return y;
  plan::Quantization inner;
  inner.exponents = {op.inner_exponent};
  return node.dequantize(node.quantize(y, inner, DataType::kS8), inner, DataType::kS8);
}

template <typename Op>
std::string write_product(NodeWriter& node, std::string_view op_type, WrittenAttributes extra) {
  const Op& op = node.attributes<Op>();
  WrittenAttributes attributes = window_attributes(op, node.form().all_attributes);
  attributes.emplace_back("group", int64_t{op.group});
  attributes.insert(attributes.end(), extra.begin(), extra.end());
  return node.write(op_type, product_operands(node), std::move(attributes));
}

template <typename Op>
std::string finish(NodeWriter& node, std::string y) {
  if (node.has_input(kResidual)) y = node.write("Add", {y, node.real(kResidual)});
  return write_activation(node, node.attributes<Op>().activation, y);
}

Result<std::string> write_conv(NodeWriter& node) {
  std::string y = write_product<ops::Conv>(node, "Conv", {});
  if (node.has_input(kResidual)) y = rounded_before_residual(node, node.attributes<ops::Conv>(), y);
  return finish<ops::Conv>(node, std::move(y));
}

Result<std::string> write_conv_transpose(NodeWriter& node) {
  const auto& op = node.attributes<ops::ConvTranspose>();
  return finish<ops::ConvTranspose>(
      node, write_product<ops::ConvTranspose>(node, "ConvTranspose", {{"output_padding", op.output_padding}}));
}

constexpr ExportRule kConvolutionExportRules[] = {
    {ops::Kind::kConv, write_conv},
    {ops::Kind::kConvTranspose, write_conv_transpose},
};

}  // namespace

std::span<const ExportRule> convolution_export_rules() { return kConvolutionExportRules; }

}  // namespace nestrt::compiler
