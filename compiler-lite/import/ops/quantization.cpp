// SPDX-License-Identifier: Apache-2.0
// Quantized operators. Each becomes Dequantize, the float operator and Quantize. passes/integers/fuse_qdq.cpp replaces
// the patterns that can compute with integers; the rest stays correct as float operators.
//
// Scales and zero points belong to the tensors that Quantize writes and Dequantize reads. All other operators of the
// model see plain integers through Reshapes, which disappear if nothing observes them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compiler-lite/import/onnx/onnx_types.h"
#include "compiler-lite/import/ops/families.h"
#include "compiler-lite/import/ops/float_forms.h"
#include "compiler-lite/import/ops/narrow.h"
#include "compiler-lite/import/ops/quantized/mct.h"
#include "compiler-lite/import/ops/quantized/narrow_integers.h"
#include "compiler-lite/import/ops/quantized/qonnx.h"

namespace nestrt::compiler {
namespace {

constexpr int kAnyAxis = -1;  // one scale for the whole tensor

// Indices of the inputs with scale and zero point.
struct Parameters {
  size_t scale;
  size_t zero_point;
  int axis = kAnyAxis;  // axis of several scales
};

bool is_byte(DataType type) { return type == DataType::kS8 || type == DataType::kU8; }

bool holds(DataType type, int64_t zero_point) {
  if (type == DataType::kS8) return zero_point >= -128 && zero_point <= 127;
  if (type == DataType::kU8) return zero_point >= 0 && zero_point <= 255;
  return zero_point >= INT32_MIN && zero_point <= INT32_MAX;
}

Status check_entries(const NodeContext& node, DataType type, const std::vector<float>& scales,
                     const std::vector<int64_t>& zero_points) {
  if (zero_points.size() != scales.size()) {
    return node.invalid(fmt::format("{} scales do not match {} zero points", scales.size(), zero_points.size()));
  }
  for (float scale : scales)
    if (!(std::isfinite(scale) && scale > 0)) return node.invalid("scales must be positive and finite");
  for (int64_t zero_point : zero_points)
    if (!holds(type, zero_point))
      return node.invalid(fmt::format("zero point {} is out of range for {}", zero_point, name(type)));
  return ok_status();
}

// Reads the quantization of integers of `type` and `shape`.
Result<plan::Quantization> read_quantization(const NodeContext& node, const Parameters& where, DataType type,
                                             const Shape& shape) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> scales, node.constant_floats(where.scale, "the scale"));
  std::vector<int64_t> zero_points(scales.size(), 0);
  if (node.has_input(where.zero_point)) {
    NESTRT_ASSIGN_OR_RETURN(zero_points, node.constant_ints(where.zero_point, "the zero point"));
  }
  NESTRT_RETURN_IF_ERROR(check_entries(node, type, scales, zero_points));
  plan::Quantization result;
  result.scales = scales;
  result.zero_points.assign(zero_points.begin(), zero_points.end());
  if (scales.size() == 1) return result;
  if (where.axis == kAnyAxis || node.shape(node.optional_input(where.scale)).rank() != 1)
    return node.unsupported(fmt::format("only one scale is supported here, got {}", scales.size()));
  NESTRT_ASSIGN_OR_RETURN(result.axis, node.axis(where.axis, shape.rank()));
  if (static_cast<int64_t>(scales.size()) == shape[result.axis]) return result;
  return node.invalid(
      fmt::format("{} scales do not fit axis {} of shape {}", scales.size(), result.axis, shape.to_string()));
}

Result<ValueId> dequantized(NodeContext& node, ValueId x, const plan::Quantization& quantization) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId integers, node.reinterpret(x, quantization));
  return node.add(ops::Dequantize(), {integers});
}

Result<ValueId> dequantized(NodeContext& node, size_t input, const Parameters& where) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(input));
  const DataType type = node.type(x);
  if (!is_byte(type) && type != DataType::kS32)
    return node.unsupported(fmt::format(
        "input {} has type {}, which cannot be dequantized; supported: int8, uint8, int32", input, name(type)));
  NESTRT_ASSIGN_OR_RETURN(const plan::Quantization quantization, read_quantization(node, where, type, node.shape(x)));
  return dequantized(node, x, quantization);
}

// `type`: type of the result if the node has no zero point.
Result<ValueId> quantized(NodeContext& node, ValueId x, const Parameters& where, StatedType type) {
  if (node.has_input(where.zero_point)) type = stated_type(node.value(node.optional_input(where.zero_point)));
  if (!is_byte(type.type) && !type.range)
    return node.unsupported(
        fmt::format("result type {} is not supported; supported: int8, uint8, and their variants of 2, 4 and 16 bits",
                    name(type.type)));
  NESTRT_ASSIGN_OR_RETURN(const plan::Quantization quantization,
                          read_quantization(node, where, type.type, node.shape(x)));
  if (type.range) return quantize_to_range(node, x, quantization, type);
  NESTRT_ASSIGN_OR_RETURN(const ValueId integers, node.add(ops::Quantize{.to = type.type}, {x}, quantization));
  return node.reinterpret(integers, {});
}

// Quantized operators with one input: x, its parameters, and the output's parameters.
constexpr Parameters kFirst{1, 2}, kUnaryOutput{3, 4};

Result<int> stated_axis(NodeContext& node) {
  node.ignore("saturate");  // affects only float8
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const int64_t stated = node.attribute("axis", int64_t{1});
  const bool several = node.has_input(1) && node.shape(node.optional_input(1)).num_elements() > 1;
  return several ? node.axis(stated, node.shape(x).rank()) : Result<int>(kAnyAxis);
}

// --- QuantizeLinear, DequantizeLinear -------------------------------------------------------------------------------

// Returns a scale or zero point as f32 in a shape that broadcasts to x: one element, one per element of an axis, or one
// per block of an axis.
Result<ValueId> broadcast_parameter(NodeContext& node, ValueId parameter, const Shape& x) {
  NESTRT_ASSIGN_OR_RETURN(parameter, node.cast(parameter, DataType::kF32));
  const Shape shape = node.shape(parameter);
  const int64_t block = node.attribute("block_size", int64_t{0}), stated = node.attribute("axis", int64_t{1});
  if (block == 0 && shape.num_elements() == 1) return node.reshape(parameter, Shape());
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated, x.rank()));
  Shape fitting;
  for (int i = 0; i < x.rank(); ++i) fitting.push_back(i == axis ? x[i] : 1);
  if (block == 0 && shape.rank() == 1 && shape[0] == x[axis]) return node.reshape(parameter, fitting);
  Shape blocks = x;
  if (block > 0) blocks[axis] = (x[axis] - 1) / block + 1;
  if (block < 1 || shape != blocks || x.rank() >= Shape::kMaxRank || x.num_elements() == 0)
    return node.invalid(fmt::format("parameters of shape {} do not fit blocks of {} of axis {} of {}",
                                    shape.to_string(), block, axis, x.to_string()));
  Shape split, repeated, joined = x;
  for (int i = 0; i < x.rank(); ++i) {
    split.push_back(blocks[i]);
    repeated.push_back(blocks[i]);
    if (i == axis) split.push_back(1), repeated.push_back(block);
  }
  joined[axis] = blocks[axis] * block;
  NESTRT_RETURN_IF_ERROR(node.check_size(DataType::kF32, joined));
  NESTRT_ASSIGN_OR_RETURN(parameter, node.reshape(parameter, split));
  NESTRT_ASSIGN_OR_RETURN(parameter, node.add(ops::Tile{.shape = {repeated.begin(), repeated.end()}}, {parameter}));
  NESTRT_ASSIGN_OR_RETURN(parameter, node.reshape(parameter, joined));
  const std::vector<int64_t> start(static_cast<size_t>(x.rank()), 0), step(start.size(), 1);
  return node.slice(parameter, start, step, x);
}

struct QuantizationOperands {
  ValueId scale = kNoValue, zero_point = kNoValue;
};

Result<QuantizationOperands> broadcast_operands(NodeContext& node, const Shape& x) {
  QuantizationOperands operands;
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(operands.scale, broadcast_parameter(node, scale, x));
  if (!node.has_input(2)) return operands;
  NESTRT_ASSIGN_OR_RETURN(operands.zero_point, broadcast_parameter(node, node.optional_input(2), x));
  return operands;
}

// Imports a QuantizeLinear with scales by block or to a type that Quantize does not support.
Status quantize_as_floats(NodeContext& node, ValueId x, const NarrowType* narrow, DataType type) {
  NESTRT_ASSIGN_OR_RETURN(const QuantizationOperands operands, broadcast_operands(node, node.shape(x)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, quantized_to(node, x, operands.scale, operands.zero_point, narrow, type,
                                                        node.flag("saturate", true)));
  if (narrow != nullptr) node.set_narrow_type(y, narrow->onnx_type);
  return node.set_output(0, y);
}

// Imports a DequantizeLinear of floats or with scales by block.
Status dequantize_as_floats(NodeContext& node, ValueId x) {
  NESTRT_ASSIGN_OR_RETURN(const QuantizationOperands operands, broadcast_operands(node, node.shape(x)));
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, DataType::kF32));
  if (operands.zero_point != kNoValue) {
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kSub, x, operands.zero_point));
  }
  return node.set_output(node.binary(ops::BinaryKind::kMul, x, operands.scale));
}

Status import_quantize(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const int axis, stated_axis(node));
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, DataType::kF32));  // QuantizeLinear also accepts int32
  const auto stated = static_cast<int32_t>(node.attribute("output_dtype", int64_t{0}));
  const std::optional<StatedType> type = stated == 0 ? StatedType{DataType::kU8, {}} : stated_type(stated);
  node.ignore("precision");  // of the division, which is computed in f32
  const NarrowType* narrow = find_narrow_type(node.has_input(2) ? node.narrow_type(node.optional_input(2)) : stated);
  if (narrow != nullptr) return quantize_as_floats(node, x, narrow, narrow->type);
  if (!type) return node.unsupported(fmt::format("results of type {} are not supported", onnx_type_name(stated)));
  if (node.attribute("block_size", int64_t{0}) != 0) {
    const StatedType result = node.has_input(2) ? stated_type(node.value(node.optional_input(2))) : *type;
    if (result.range) return node.unsupported("quantization by blocks to integers of 16 bits is not supported");
    return quantize_as_floats(node, x, nullptr, result.type);
  }
  return node.set_output(quantized(node, x, {1, 2, axis}, *type));
}

Status import_dequantize(NodeContext& node) {
  node.ignore("output_dtype");
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const int64_t block = node.attribute("block_size", int64_t{0});
  const bool is_float = node.type(x) == DataType::kF32;
  if (block != 0 && node.value(x).is_constant() && !is_float)
    return node.set_output(dequantized_blocks(node, block, node.attribute("axis", int64_t{1})));
  if (block != 0 || is_float) return dequantize_as_floats(node, x);
  NESTRT_ASSIGN_OR_RETURN(const int axis, stated_axis(node));
  return node.set_output(dequantized(node, 0, {1, 2, axis}));
}

// --- QLinear operators ----------------------------------------------------------------------------------------------

// Checks products of scales, which may leave the range of floats even if the scales do not.
Status check_products(const NodeContext& node, const std::vector<float>& scales) {
  return check_entries(node, DataType::kS32, scales, std::vector<int64_t>(scales.size(), 0));
}

// Returns the dequantized bias of a QLinearConv. It is int32; its scale is the product of the scales of input and
// weights.
Result<ValueId> dequantized_bias(NodeContext& node, size_t input) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, node.input(input));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> x_scale, node.constant_floats(1, "the scale"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> scales, node.constant_floats(4, "the scale"));
  const Shape shape = node.shape(bias);
  if (node.type(bias) != DataType::kS32 || shape.rank() != 1) return node.invalid("the bias must be a vector of int32");
  plan::Quantization quantization;
  for (float scale : scales) quantization.scales.push_back(x_scale[0] * scale);
  quantization.zero_points.assign(scales.size(), 0);
  if (scales.size() > 1) quantization.axis = 0;
  if (scales.size() > 1 && static_cast<int64_t>(scales.size()) != shape[0])
    return node.invalid(
        fmt::format("the bias has {} elements, but the weights have {} scales", shape[0], scales.size()));
  NESTRT_RETURN_IF_ERROR(check_products(node, quantization.scales));
  return dequantized(node, bias, quantization);
}

Status import_qlinear_conv(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, dequantized(node, 0, {1, 2}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, dequantized(node, 3, {4, 5, 0}));
  std::vector<ValueId> operands = {x, weights};
  if (node.has_input(8)) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId bias, dequantized_bias(node, 8));
    operands.push_back(bias);
  }
  NESTRT_ASSIGN_OR_RETURN(ops::Conv conv, read_conv(node, node.shape(x), node.shape(weights)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(std::move(conv), std::move(operands)));
  return node.set_output(quantized(node, y, {6, 7}, stated_type(node.value(node.optional_input(0)))));
}

Status import_qlinear_mat_mul(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a_integers, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b_integers, node.input(3));
  const int rows = std::max(node.shape(a_integers).rank() - 2, 0);
  const int columns = std::max(node.shape(b_integers).rank() - 1, 0);
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, dequantized(node, 0, {1, 2, rows}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, dequantized(node, 3, {4, 5, columns}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, matrix_product(node, a, b));
  return node.set_output(quantized(node, y, {6, 7}, stated_type(node.value(a_integers))));
}

// Returns B of a QGemm. Multiplies its scales by alpha, so the product can still be computed with integers. The scale
// of C is alpha * a_scale * b_scale.
struct GemmRight {
  ValueId b;
  std::vector<float> scales;  // include alpha; one for the matrix, or one per column
};

Result<GemmRight> read_gemm_right(NodeContext& node) {
  const float alpha = node.attribute("alpha", 1.0f);
  if (!(std::isfinite(alpha) && alpha > 0)) return node.unsupported(fmt::format("alpha {} is not positive", alpha));
  const bool transposed = node.flag("transB", false);
  NESTRT_ASSIGN_OR_RETURN(const ValueId integers, node.input(3));
  if (!is_byte(node.type(integers)))
    return node.invalid(fmt::format("B must be int8 or uint8, not {}", name(node.type(integers))));
  const Parameters where{4, 5, transposed ? 0 : 1};
  NESTRT_ASSIGN_OR_RETURN(plan::Quantization quantization,
                          read_quantization(node, where, node.type(integers), node.shape(integers)));
  for (float& scale : quantization.scales) scale *= alpha;
  NESTRT_RETURN_IF_ERROR(check_products(node, quantization.scales));
  NESTRT_ASSIGN_OR_RETURN(ValueId b, dequantized(node, integers, quantization));
  NESTRT_ASSIGN_OR_RETURN(b, matrix_operand(node, b, transposed));
  return GemmRight{b, quantization.scales};
}

// Returns C of a QGemm as floats, or kNoValue if it is absent.
Result<ValueId> read_gemm_sum(NodeContext& node, const std::vector<float>& b_scales) {
  const ValueId integers = node.optional_input(6);
  if (integers == kNoValue) return kNoValue;
  if (node.type(integers) != DataType::kS32) return node.invalid("C must be int32");
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> a_scale, node.constant_floats(1, "the scale"));
  std::vector<float> steps = b_scales;
  for (float& step : steps) step *= a_scale[0];
  NESTRT_RETURN_IF_ERROR(check_products(node, steps));
  const Shape shape = steps.size() == 1 ? Shape() : Shape{static_cast<int64_t>(steps.size())};
  NESTRT_ASSIGN_OR_RETURN(const ValueId factors, node.constant(steps, shape));
  NESTRT_ASSIGN_OR_RETURN(const ValueId c, node.cast(integers, DataType::kF32));
  return node.binary(ops::BinaryKind::kMul, c, factors);
}

Status import_qgemm(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId a, dequantized(node, 0, {1, 2}));
  NESTRT_ASSIGN_OR_RETURN(a, matrix_operand(node, a, node.flag("transA", false)));
  NESTRT_ASSIGN_OR_RETURN(const GemmRight right, read_gemm_right(node));
  NESTRT_ASSIGN_OR_RETURN(const ValueId c, read_gemm_sum(node, right.scales));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, gemm(node, a, right.b, c, 1.0f));
  if (node.has_input(7) != node.has_input(8))
    return node.unsupported("the output's scale and zero point must both be present");
  if (!node.has_input(7)) return node.set_output(0, y);
  return node.set_output(quantized(node, y, {7, 8}, stated_type(node.value(node.optional_input(0)))));
}

template <ops::BinaryKind kKind>
Status import_qlinear_binary(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId a, dequantized(node, 0, {1, 2}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId b, dequantized(node, 3, {4, 5}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.binary(kKind, a, b));
  return node.set_output(quantized(node, y, {6, 7}, stated_type(node.value(node.optional_input(0)))));
}

Status finish_unary(NodeContext& node, Result<ValueId> y) {
  if (!y) return y.error();
  return node.set_output(quantized(node, *y, kUnaryOutput, stated_type(node.value(node.optional_input(0)))));
}

Status import_qlinear_softmax(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const int64_t opset, node.required_int("opset"));  // opset of the original Softmax
  const int64_t axis = node.attribute("axis", int64_t{-1});                  // the default does not depend on the opset
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, dequantized(node, 0, kFirst));
  return finish_unary(node, softmax(node, x, axis, opset, false));
}

Status import_qlinear_reduce_mean(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, dequantized(node, 0, kFirst));
  const std::vector<int64_t> axes = node.attribute("axes", std::vector<int64_t>());
  NESTRT_ASSIGN_OR_RETURN(ops::Reduce reduce, read_reduce(node, ops::ReduceKind::kMean, node.shape(x), axes));
  return finish_unary(node, node.add(std::move(reduce), {x}));
}

Status import_qlinear_where(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId condition, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, dequantized(node, 1, {2, 3}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, dequantized(node, 4, {5, 6}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId selected, node.add(ops::Select(), {condition, x, y}));
  return node.set_output(quantized(node, selected, {7, 8}, stated_type(node.value(node.optional_input(1)))));
}

template <bool kGlobal>
Status import_qlinear_pool(NodeContext& node) {
  if (node.flag("channels_last", false)) return node.unsupported("channels_last is not supported");
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, dequantized(node, 0, kFirst));
  constexpr auto kKind = ops::PoolKind::kAverage;
  NESTRT_ASSIGN_OR_RETURN(ops::Pool pool,
                          kGlobal ? global_pool(node, kKind, node.shape(x)) : read_pool(node, kKind, node.shape(x)));
  return finish_unary(node, node.add(std::move(pool), {x}));
}

Status import_qlinear_unary(NodeContext& node, ops::UnaryKind kind, float alpha) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, dequantized(node, 0, kFirst));
  return finish_unary(node, node.unary(kind, x, alpha));
}

Status import_qlinear_leaky_relu(NodeContext& node) {
  return import_qlinear_unary(node, ops::UnaryKind::kLeakyRelu, node.attribute("alpha", 0.01f));
}
Status import_qlinear_sigmoid(NodeContext& node) { return import_qlinear_unary(node, ops::UnaryKind::kSigmoid, 0); }

// Imports QLinearConcat. Its inputs are the output's parameters, followed by each tensor with its parameters.
Status import_qlinear_concat(NodeContext& node) {
  if (node.num_inputs() < 5 || node.num_inputs() % 3 != 2)
    return node.invalid("needs scale and zero point, and three inputs for each tensor");
  std::vector<ValueId> parts;
  for (size_t i = 2; i < node.num_inputs(); i += 3) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId part, dequantized(node, i, {i + 1, i + 2}));
    parts.push_back(part);
  }
  ops::Concat concat;
  NESTRT_ASSIGN_OR_RETURN(const int64_t axis, node.required_int("axis"));
  NESTRT_ASSIGN_OR_RETURN(concat.axis, node.axis(axis, node.shape(parts[0]).rank()));
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(std::move(concat), std::move(parts)));
  return node.set_output(quantized(node, y, {0, 1}, stated_type(node.value(node.optional_input(2)))));
}

constexpr ImportRule kQuantizationRules[] = {
    {"DequantizeLinear", import_dequantize, 10},
    {"QLinearConv", import_qlinear_conv, 10},
    {"QLinearMatMul", import_qlinear_mat_mul, 10},
    {"QuantizeLinear", import_quantize, 10},
    {"com.microsoft.DequantizeLinear", import_dequantize, 0},
    {"com.microsoft.QGemm", import_qgemm, 0},
    {"com.microsoft.QLinearAdd", import_qlinear_binary<ops::BinaryKind::kAdd>, 0},
    {"com.microsoft.QLinearAveragePool", import_qlinear_pool<false>, 0},
    {"com.microsoft.QLinearConcat", import_qlinear_concat, 0},
    {"com.microsoft.QLinearGlobalAveragePool", import_qlinear_pool<true>, 0},
    {"com.microsoft.QLinearLeakyRelu", import_qlinear_leaky_relu, 0},
    {"com.microsoft.QLinearMul", import_qlinear_binary<ops::BinaryKind::kMul>, 0},
    {"com.microsoft.QLinearReduceMean", import_qlinear_reduce_mean, 0},
    {"com.microsoft.QLinearSigmoid", import_qlinear_sigmoid, 0},
    {"com.microsoft.QLinearSoftmax", import_qlinear_softmax, 0},
    {"com.microsoft.QLinearWhere", import_qlinear_where, 0},
    {"com.microsoft.QuantizeLinear", import_quantize, 0},
    {"finn.custom_op.general.Quant", import_quant, 0},
    {"mct_quantizers.ActivationPOTQuantizer", import_mct_symmetric_activation, 0},
    {"mct_quantizers.ActivationSymmetricQuantizer", import_mct_symmetric_activation, 0},
    {"mct_quantizers.ActivationUniformQuantizer", import_mct_uniform_activation, 0},
    {"mct_quantizers.WeightsPOTQuantizer", import_mct_symmetric_weights, 0},
    {"mct_quantizers.WeightsSymmetricQuantizer", import_mct_symmetric_weights, 0},
    {"mct_quantizers.WeightsUniformQuantizer", import_mct_uniform_weights, 0},
    {"onnx.brevitas.Quant", import_quant, 0},
    {"qonnx.custom_op.general.Quant", import_quant, 0},
};

}  // namespace

std::span<const ImportRule> quantization_rules() { return kQuantizationRules; }

}  // namespace nestrt::compiler
