// SPDX-License-Identifier: Apache-2.0
// Dynamic quantization: integers whose zero points and scales are computed at run time.
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"
#include "compiler-lite/import/ops/quantized/integer_forms.h"

namespace nestrt::compiler {
namespace {

// Returns the elements of a u8 constant minus 128, as s8.
Result<ValueId> signed_constant(NodeContext& node, ValueId id) {
  const Shape shape = node.shape(id);
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS8, shape));
  Bytes elements(node.value(id).constant->begin(), node.value(id).constant->end());
  for (std::byte& element : elements) element ^= std::byte{0x80};
  return node.constant(DataType::kS8, shape, std::move(elements));
}

// Indices of a product's inputs, by their meaning in ops::MatMulInteger.
struct ProductInputs {
  size_t zero_a, zero_b, scale_a, scale_b, bias;
};
constexpr size_t kAbsent = SIZE_MAX;  // index of an input that does not exist

// Returns the number of columns of a product with `b`.
int64_t columns_of(const NodeContext& node, ValueId b) {
  const Shape& shape = node.value(b).shape;
  return shape.rank() < 2 ? 1 : shape[shape.rank() - 1];
}

// Returns all operands of a MatMulInteger or ConvInteger. `columns`: columns or output channels.
Result<std::vector<ValueId>> product_operands(NodeContext& node, ValueId a, ValueId b, int64_t columns,
                                              const ProductInputs& where) {
  const auto operand = [&](size_t index, int64_t count, std::string_view what) {
    return index == kAbsent ? Result<ValueId>(kNoValue) : column_values(node, index, count, what);
  };
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero_a, operand(where.zero_a, 1, "the zero point of A"));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero_b, operand(where.zero_b, columns, "the zero point of B"));
  NESTRT_ASSIGN_OR_RETURN(const IntegerWeights weights, signed_weights(node, {b, zero_b}));
  std::vector<ValueId> operands = {a, weights.elements, zero_a, weights.zero_point};
  NESTRT_ASSIGN_OR_RETURN(operands.emplace_back(), operand(where.scale_a, 1, "the scale of A"));
  NESTRT_ASSIGN_OR_RETURN(operands.emplace_back(), operand(where.scale_b, columns, "the scale of B"));
  NESTRT_ASSIGN_OR_RETURN(ValueId bias, operand(where.bias, columns, "the bias"));
  if (bias != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(bias, node.reshape(bias, {columns}));
  }
  operands.push_back(bias);
  return operands;
}

Result<ValueId> integer_product(NodeContext& node, ops::Attributes attributes, std::vector<ValueId> operands) {
  while (operands.back() == kNoValue) operands.pop_back();
  return node.add(std::move(attributes), std::move(operands));
}

// --- ONNX -----------------------------------------------------------------------------------------------------------

Status import_dynamic_quantize(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> outputs, dynamic_quantized(node, x));
  for (size_t i = 0; i < outputs.size(); ++i) NESTRT_RETURN_IF_ERROR(node.set_output(i, outputs[i]));
  return ok_status();
}

Status import_mat_mul_integer(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> operands,
                          product_operands(node, a, b, columns_of(node, b), {2, 3, kAbsent, kAbsent, kAbsent}));
  return node.set_output(integer_product(node, ops::MatMulInteger(), std::move(operands)));
}

Status import_conv_integer(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(const ops::Conv conv, read_conv(node, node.shape(x), node.shape(weights)));
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> operands, product_operands(node, x, weights, node.shape(weights)[0],
                                                                          {2, 3, kAbsent, kAbsent, kAbsent}));
  ops::ConvInteger integer;
  integer.kernel = conv.kernel;
  integer.stride = conv.stride;
  integer.dilation = conv.dilation;
  integer.pad_begin = conv.pad_begin;
  integer.pad_end = conv.pad_end;
  integer.group = conv.group;
  return node.set_output(integer_product(node, std::move(integer), std::move(operands)));
}

// --- com.microsoft --------------------------------------------------------------------------------------------------

Status import_mat_mul_integer_to_float(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(1));
  NESTRT_RETURN_IF_ERROR(node.input(2).error());
  NESTRT_RETURN_IF_ERROR(node.input(3).error());
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> operands,
                          product_operands(node, a, b, columns_of(node, b), {4, 5, 2, 3, 6}));
  return node.set_output(integer_product(node, ops::MatMulInteger(), std::move(operands)));
}

Status import_dynamic_quantize_mat_mul(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, node.input(1));
  NESTRT_RETURN_IF_ERROR(node.input(2).error());
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> quantized, dynamic_quantized(node, a));
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> operands,
                          product_operands(node, quantized[0], b, columns_of(node, b), {kAbsent, 3, kAbsent, 2, 4}));
  operands[2] = quantized[2];
  operands[4] = quantized[1];
  return node.set_output(integer_product(node, ops::MatMulInteger(), std::move(operands)));
}

constexpr ImportRule kDynamicQuantizationRules[] = {
    {"ConvInteger", import_conv_integer, 10},
    {"DynamicQuantizeLinear", import_dynamic_quantize, 11},
    {"MatMulInteger", import_mat_mul_integer, 10},
    {"com.microsoft.DynamicQuantizeMatMul", import_dynamic_quantize_mat_mul, 0},
    {"com.microsoft.MatMulIntegerToFloat", import_mat_mul_integer_to_float, 0},
};

}  // namespace

Result<IntegerWeights> signed_weights(NodeContext& node, IntegerWeights weights) {
  const bool has_zero = weights.zero_point != kNoValue;
  const bool is_known =
      node.value(weights.elements).is_constant() && (!has_zero || node.value(weights.zero_point).is_constant());
  if (node.type(weights.elements) != DataType::kU8 || !is_known) return weights;
  if (has_zero && node.type(weights.zero_point) != DataType::kU8)
    return node.invalid("the zero point must have the type of its matrix");
  IntegerWeights result;
  NESTRT_ASSIGN_OR_RETURN(result.elements, signed_constant(node, weights.elements));
  NESTRT_ASSIGN_OR_RETURN(result.zero_point,
                          has_zero ? signed_constant(node, weights.zero_point) : node.scalar_of(DataType::kS8, -128));
  return result;
}

Result<ValueId> column_values(NodeContext& node, size_t index, int64_t columns, std::string_view what) {
  const ValueId id = node.optional_input(index);
  if (id == kNoValue) return kNoValue;
  const Shape shape = node.shape(id);
  if (shape.num_elements() == 1) return node.reshape(id, {});
  if (shape.num_elements() == columns) return node.reshape(id, {columns});
  return node.unsupported(fmt::format("{} has shape {}; supported: one value{}", what, shape.to_string(),
                                      columns == 1 ? "" : fmt::format(", or one per column ({})", columns)));
}

Result<std::vector<ValueId>> dynamic_quantized(NodeContext& node, ValueId x) {
  return node.add_all(ops::DynamicQuantize(), {x}, 3);
}

std::span<const ImportRule> dynamic_rules() { return kDynamicQuantizationRules; }

}  // namespace nestrt::compiler
