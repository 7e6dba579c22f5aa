// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools. Images are [N, H, W, C] in the file and [N, C, H, W] here. Weights of CONV_2D and
// TRANSPOSE_CONV are [M, H, W, C], those of DEPTHWISE_CONV_2D [1, H, W, M].
#include <fmt/core.h>

#include <algorithm>

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

// `size`: spatial dimensions of the input.
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

// Sets the pads and output padding of one axis so that the output has `wanted` elements.
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

Status import_transpose_conv(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, image(node, kTransposedInput));
  NESTRT_RETURN_IF_ERROR(image(node, kTransposedWeights).error());
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

// Averages integers as LiteRT does: input and output have the same quantization, so the stored integers are averaged
// without subtracting the zero point.
Status import_integer_average(LiteNode& node, ops::Pool pool, ValueId x, tflite::FusedActivation activation) {
  NESTRT_ASSIGN_OR_RETURN(const DataType type, node.graph().type(node.input_tensor(0)));
  pool.rounding = type == DataType::kU8 ? ops::Rounding::kHalfUpScaled : ops::Rounding::kHalfAway;
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.add(std::move(pool), {x}));
  if (activation == tflite::FusedActivation::NONE) return node.set(0, y, Form::kChannelsFirst);
  NESTRT_ASSIGN_OR_RETURN(const auto quantization, node.graph().quantization(node.input_tensor(0)));
  NESTRT_ASSIGN_OR_RETURN(y, node.add_quantized(ops::Quantize{.to = type}, y, *quantization));
  NESTRT_ASSIGN_OR_RETURN(y, node.add(ops::Dequantize(), {y}));
  return node.finish(node.activated(y, activation), Form::kChannelsFirst);
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
    return import_integer_average(node, std::move(pool), x, options.activation());
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(std::move(pool), {x}));
  return node.finish(node.activated(y, options.activation()), Form::kChannelsFirst);
}

constexpr LiteRule kLiteConvolutionRules[] = {
    lite_rule<tflite::Pool2DOptions>(LiteOp::AVERAGE_POOL_2D, 1, import_pool<ops::PoolKind::kAverage>, kPool2D),
    lite_rule<tflite::Conv2DOptions>(LiteOp::CONV_2D, 2, import_conv_2d, kConv2D),
    lite_rule<tflite::DepthwiseConv2DOptions>(LiteOp::DEPTHWISE_CONV_2D, 2, import_depthwise, kDepthwiseConv2D),
    lite_rule<tflite::Pool2DOptions>(LiteOp::MAX_POOL_2D, 1, import_pool<ops::PoolKind::kMax>, kPool2D),
    lite_rule<tflite::TransposeConvOptions>(LiteOp::TRANSPOSE_CONV, 3, import_transpose_conv, kTransposeConv),
};

}  // namespace

std::span<const LiteRule> lite_convolution_rules() { return kLiteConvolutionRules; }

}  // namespace nestrt::compiler
