// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools. Images are [N, H, W, C] in the file and [N, C, H, W] here. Weights of CONV_2D and
// TRANSPOSE_CONV are [M, H, W, C], those of DEPTHWISE_CONV_2D [1, H, W, M].
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compiler-lite/import/ops/window.h"
#include "compiler-lite/import/tflite/lite_table.h"
#include "compiler-lite/import/tflite/ops/product_bias.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kConv2D = 1, kDepthwiseConv2D = 2, kPool2D = 5, kTransposeConv = 49;

// Returns an image [N, C, H, W] and checks its rank.
Result<ValueId> image(LiteNode& node, size_t index) {
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(index));
  if (stated.rank() != 4)
    return node.invalid(fmt::format("input {} of shape {} must have rank 4", index, stated.to_string()));
  return node.input(index, Form::kChannelsFirst);
}

Result<Window> lite_window(const LiteNode& node, std::vector<int64_t> kernel, std::vector<int32_t> stride,
                           std::vector<int32_t> dilation) {
  Window window{{}, std::move(stride), std::move(dilation), {0, 0}, {0, 0}};
  for (const int64_t size : kernel) {
    if (size < 1 || size > INT32_MAX) return node.invalid(fmt::format("kernel size {} is out of range", size));
    window.kernel.push_back(static_cast<int32_t>(size));
  }
  for (const std::vector<int32_t>* list : {&window.stride, &window.dilation})
    for (const int32_t entry : *list)
      if (entry < 1) return node.invalid(fmt::format("stride or dilation {} must be at least 1", entry));
  return window;
}

Status set_total_padding(const LiteNode& node, size_t axis, int64_t total, Window& window) {
  if (total > INT32_MAX) return node.invalid("padding exceeds 2^31");
  window.pad_begin[axis] = static_cast<int32_t>(total / 2);
  window.pad_end[axis] = static_cast<int32_t>(total - total / 2);
  return ok_status();
}

// `size`: the spatial dimensions of the input.
Status pad_window(const LiteNode& node, tflite::PaddingScheme scheme, const Shape& x, Window& window) {
  if (scheme == tflite::PaddingScheme::VALID) return ok_status();
  if (scheme != tflite::PaddingScheme::SAME) return node.invalid("the padding scheme is unknown");
  for (int axis = 0; axis < 2; ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t total = same_padding(x[axis + 2], window.stride[i], window.extent(axis));
    NESTRT_RETURN_IF_ERROR(set_total_padding(node, i, total, window));
  }
  return ok_status();
}

Status finish_conv(LiteNode& node, ops::Conv conv, ValueId x, ValueId weights, tflite::FusedActivation activation) {
  std::vector<ValueId> operands = {x, weights};
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, product_bias(node, 2));
  if (bias != kNoValue) operands.push_back(bias);
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(std::move(conv), std::move(operands)));
  return node.finish(node.activated(y, activation), Form::kChannelsFirst);
}

template <typename Options>
Result<ops::Conv> conv_of(const LiteNode& node, const Options& options, const Shape& x, const Shape& weights) {
  NESTRT_ASSIGN_OR_RETURN(Window window,
                          lite_window(node, {weights[2], weights[3]}, {options.stride_h(), options.stride_w()},
                                      {options.dilation_h(), options.dilation_w()}));
  NESTRT_RETURN_IF_ERROR(pad_window(node, options.padding(), x, window));
  ops::Conv conv;
  set_window(conv, window);
  return conv;
}

Status import_conv_2d(LiteNode& node) {
  const auto& options = node.options<tflite::Conv2DOptions>();
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, image(node, 0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, image(node, 1));
  const Shape shape = node.shape(x), kernel = node.shape(weights);
  NESTRT_ASSIGN_OR_RETURN(ops::Conv conv, conv_of(node, options, shape, kernel));
  if (kernel[1] < 1 || shape[1] % kernel[1] != 0 || shape[1] / kernel[1] > INT32_MAX)
    return node.invalid(fmt::format("{} channels do not fit weights of {} channels", shape[1], kernel[1]));
  conv.group = static_cast<int32_t>(shape[1] / kernel[1]);
  return finish_conv(node, std::move(conv), x, weights, options.activation());
}

Status import_depthwise(LiteNode& node) {
  const auto& options = node.options<tflite::DepthwiseConv2DOptions>();
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, image(node, 0));
  NESTRT_RETURN_IF_ERROR(image(node, 1).error());
  NESTRT_ASSIGN_OR_RETURN(const ValueId plain, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.transpose(plain, {3, 0, 1, 2}));
  const Shape shape = node.shape(x), kernel = node.shape(weights);
  if (kernel[1] != 1 || shape[1] < 1 || shape[1] > INT32_MAX || kernel[0] % shape[1] != 0)
    return node.invalid(
        fmt::format("weights of shape {} do not fit {} channels", node.shape(plain).to_string(), shape[1]));
  NESTRT_ASSIGN_OR_RETURN(ops::Conv conv, conv_of(node, options, shape, kernel));
  conv.group = static_cast<int32_t>(shape[1]);
  return finish_conv(node, std::move(conv), x, weights, options.activation());
}

// --- Transposed convolutions ----------------------------------------------------------------------------------------

// Inputs: the output's shape, weights, x, and in newer files a bias.
constexpr size_t kOutputShape = 0, kTransposedWeights = 1, kTransposedInput = 2, kTransposedBias = 3;

// Sets the pads and output padding of one axis that give the output `wanted` elements.
Status fit_output(const LiteNode& node, size_t axis, int64_t inputs, int64_t wanted, bool same, Window& window,
                  ops::ConvTranspose& conv) {
  if (wanted < 1 || wanted > INT32_MAX) return node.invalid("the output's shape is out of range");
  const int64_t extent = window.extent(static_cast<int>(axis));
  const int64_t total = same ? same_padding(wanted, window.stride[axis], extent) : 0;
  NESTRT_RETURN_IF_ERROR(set_total_padding(node, axis, total, window));
  const int64_t reached = (inputs - 1) * window.stride[axis] + extent - total;
  if (reached < wanted)
    conv.output_padding[axis] = static_cast<int32_t>(std::min<int64_t>(wanted - reached, INT32_MAX));
  const int64_t end = window.pad_end[axis] + std::max<int64_t>(reached - wanted, 0);
  if (end > INT32_MAX) return node.invalid("padding exceeds 2^31");
  window.pad_end[axis] = static_cast<int32_t>(end);
  return ok_status();
}

// `x`, `weights`: shapes [N, C, H, W] and [C, M, H, W].
Result<ops::ConvTranspose> read_transposed(LiteNode& node, const Shape& x, const Shape& weights) {
  const auto& options = node.options<tflite::TransposeConvOptions>();
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> size, node.ints(kOutputShape, "the output's shape"));
  if (size.size() != 4) return node.invalid("the output's shape must have 4 entries");
  NESTRT_ASSIGN_OR_RETURN(
      Window window, lite_window(node, {weights[2], weights[3]}, {options.stride_h(), options.stride_w()}, {1, 1}));
  ops::ConvTranspose conv;
  conv.output_padding = {0, 0};
  const bool same = options.padding() == tflite::PaddingScheme::SAME;
  for (size_t axis = 0; axis < 2; ++axis)
    NESTRT_RETURN_IF_ERROR(fit_output(node, axis, x[static_cast<int>(axis) + 2], size[axis + 1], same, window, conv));
  set_window(conv, window);
  return conv;
}

// Sums products of integers, which f32 represents exactly below 2^24, adds the bias as int32 and multiplies once by the
// ratio of the scales, as LiteRT does.
Status import_integer_transposed(LiteNode& node, const plan::Quantization& of_x, const plan::Quantization& of_weights,
                                 const plan::Quantization& of_y) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.steps(kTransposedInput, Form::kChannelsFirst));
  NESTRT_ASSIGN_OR_RETURN(ValueId weights, node.stored_input(kTransposedWeights));
  NESTRT_ASSIGN_OR_RETURN(weights, node.reinterpret(weights, {}));
  NESTRT_ASSIGN_OR_RETURN(weights, node.cast(weights, DataType::kF32));
  NESTRT_ASSIGN_OR_RETURN(weights, node.transpose(weights, {3, 0, 1, 2}));
  NESTRT_ASSIGN_OR_RETURN(ops::ConvTranspose conv, read_transposed(node, node.shape(x), node.shape(weights)));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.add(std::move(conv), {x, weights}));
  NESTRT_ASSIGN_OR_RETURN(y, node.cast(y, DataType::kS32));
  const int64_t channels = node.shape(y)[1];
  if (node.has_input(kTransposedBias)) {
    NESTRT_ASSIGN_OR_RETURN(ValueId bias, node.stored_input(kTransposedBias));
    if (node.shape(bias).num_elements() != channels) return node.invalid("the bias does not fit the weights");
    NESTRT_ASSIGN_OR_RETURN(bias, node.reshape(bias, {channels, 1, 1}));
    NESTRT_ASSIGN_OR_RETURN(y, node.binary(ops::BinaryKind::kAdd, y, bias));
  }
  plan::Quantization ratios;
  for (const float scale : of_weights.scales) ratios.scales.push_back(of_x.scales[0] * scale / of_y.scales[0]);
  for (const float ratio : ratios.scales)
    if (!(std::isfinite(ratio) && ratio > 0)) return node.invalid("the ratio of the scales is out of range");
  ratios.zero_points.assign(ratios.scales.size(), 0);
  ratios.axis = of_weights.scales.size() == 1 ? -1 : 1;
  NESTRT_ASSIGN_OR_RETURN(y, node.reinterpret(y, ratios));
  NESTRT_ASSIGN_OR_RETURN(y, node.add(ops::Dequantize(), {y}));
  return node.finish_steps(y, Form::kChannelsFirst, of_y, node.options<tflite::TransposeConvOptions>().activation());
}

// Weights of integers must have a zero point of 0, and one scale or one per output.
bool has_symmetric_weights(const std::optional<plan::Quantization>& weights) {
  return weights && weights->axis <= 0 && std::ranges::all_of(weights->zero_points, [](int32_t z) { return z == 0; });
}

Status import_transpose_conv(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, image(node, kTransposedInput));
  NESTRT_RETURN_IF_ERROR(image(node, kTransposedWeights).error());
  NESTRT_ASSIGN_OR_RETURN(const auto of_x, node.graph().quantization(node.input_tensor(kTransposedInput)));
  NESTRT_ASSIGN_OR_RETURN(const auto of_weights, node.graph().quantization(node.input_tensor(kTransposedWeights)));
  NESTRT_ASSIGN_OR_RETURN(const auto of_y, node.graph().quantization(node.output_tensor(0)));
  if (of_x && of_y && of_x->axis == -1 && of_y->axis == -1 && has_symmetric_weights(of_weights))
    return import_integer_transposed(node, *of_x, *of_weights, *of_y);
  NESTRT_ASSIGN_OR_RETURN(const ValueId plain, node.input(kTransposedWeights));
  NESTRT_ASSIGN_OR_RETURN(const ValueId weights, node.transpose(plain, {3, 0, 1, 2}));
  NESTRT_ASSIGN_OR_RETURN(ops::ConvTranspose conv, read_transposed(node, node.shape(x), node.shape(weights)));
  std::vector<ValueId> operands = {x, weights};
  NESTRT_ASSIGN_OR_RETURN(const ValueId bias, product_bias(node, kTransposedBias, kTransposedInput));
  if (bias != kNoValue) operands.push_back(bias);
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(std::move(conv), std::move(operands)));
  const auto activation = node.options<tflite::TransposeConvOptions>().activation();
  return node.finish(node.activated(y, activation), Form::kChannelsFirst);
}

// --- Pools ----------------------------------------------------------------------------------------------------------

// Rounds averages of at most `count` integers to the nearest integer, halves away from zero. The number added before
// truncation exceeds 1/2 by less than the distance of any other average to a half, so errors of f32 do not matter.
Result<ValueId> rounded_average(LiteNode& node, ValueId x, int64_t count) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId half, node.scalar(0.5f + 0.25f / static_cast<float>(count)));
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.unary(ops::UnaryKind::kAbs, x));
  NESTRT_ASSIGN_OR_RETURN(y, node.binary(ops::BinaryKind::kAdd, y, half));
  NESTRT_ASSIGN_OR_RETURN(y, node.unary(ops::UnaryKind::kFloor, y));
  NESTRT_ASSIGN_OR_RETURN(const ValueId sign, node.unary(ops::UnaryKind::kSign, x));
  return node.binary(ops::BinaryKind::kMul, y, sign);
}

// The average of integers, as LiteRT computes it: input and output have the same quantization, and the stored integers
// are averaged, not their distance from the zero point.
Status import_integer_average(LiteNode& node, ops::Pool pool, tflite::FusedActivation activation,
                              const plan::Quantization& quantization) {
  const int64_t count = int64_t{pool.kernel[0]} * pool.kernel[1];
  NESTRT_ASSIGN_OR_RETURN(ValueId x, node.stored_input(0, Form::kChannelsFirst));
  const DataType type = node.value(x).type;
  NESTRT_ASSIGN_OR_RETURN(x, node.reinterpret(x, {}));
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, DataType::kF32));
  NESTRT_ASSIGN_OR_RETURN(x, node.add(std::move(pool), {x}));
  NESTRT_ASSIGN_OR_RETURN(x, rounded_average(node, x, count));
  NESTRT_ASSIGN_OR_RETURN(x, node.cast(x, type));
  NESTRT_ASSIGN_OR_RETURN(x, node.reinterpret(x, quantization));
  if (activation != tflite::FusedActivation::NONE) {
    NESTRT_ASSIGN_OR_RETURN(x, node.add(ops::Dequantize(), {x}));
    NESTRT_ASSIGN_OR_RETURN(x, node.activated(x, activation));
  }
  return node.set(0, x, Form::kChannelsFirst);
}

template <ops::PoolKind kKind>
Status import_pool(LiteNode& node) {
  const auto& options = node.options<tflite::Pool2DOptions>();
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, image(node, 0));
  NESTRT_ASSIGN_OR_RETURN(Window window, lite_window(node, {options.filter_h(), options.filter_w()},
                                                     {options.stride_h(), options.stride_w()}, {1, 1}));
  NESTRT_RETURN_IF_ERROR(pad_window(node, options.padding(), node.shape(x), window));
  ops::Pool pool;
  pool.kind = kKind;
  set_window(pool, window);
  NESTRT_ASSIGN_OR_RETURN(const auto quantization, node.graph().quantization(node.input_tensor(0)));
  if (kKind == ops::PoolKind::kAverage && quantization && quantization->axis == -1)
    return import_integer_average(node, std::move(pool), options.activation(), *quantization);
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(std::move(pool), {x}));
  return node.finish(node.activated(y, options.activation()), Form::kChannelsFirst);
}

constexpr LiteRule kRules[] = {
    lite_rule<tflite::Pool2DOptions>(LiteOp::AVERAGE_POOL_2D, 1, import_pool<ops::PoolKind::kAverage>, kPool2D),
    lite_rule<tflite::Conv2DOptions>(LiteOp::CONV_2D, 2, import_conv_2d, kConv2D),
    lite_rule<tflite::DepthwiseConv2DOptions>(LiteOp::DEPTHWISE_CONV_2D, 2, import_depthwise, kDepthwiseConv2D),
    lite_rule<tflite::Pool2DOptions>(LiteOp::MAX_POOL_2D, 1, import_pool<ops::PoolKind::kMax>, kPool2D),
    lite_rule<tflite::TransposeConvOptions>(LiteOp::TRANSPOSE_CONV, 3, import_transpose_conv, kTransposeConv),
};

}  // namespace

std::span<const LiteRule> lite_convolution_rules() { return kRules; }

}  // namespace nestrt::compiler
