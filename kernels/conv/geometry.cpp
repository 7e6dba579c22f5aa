// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/geometry.h"

#include <fmt/core.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/common/framework/rules.h"
#include "kernels/common/quantization/s8_operands.h"

namespace nestrt::kernels {
namespace {

Status check_list(const char* list_name, const std::vector<int32_t>& list, int spatial_rank, int minimum) {
  if (list.size() != static_cast<size_t>(spatial_rank))
    return rule_error(
        fmt::format("{} has {} entries, but the input has {} spatial axes", list_name, list.size(), spatial_rank));
  for (int32_t value : list)
    if (value < minimum)
      return rule_error(fmt::format("{} contains {}, expected at least {}", list_name, value, minimum));
  return {};
}

// Here and below, Op is ops::Conv or ops::ConvTranspose. An empty output_padding means zeros.
template <typename Op>
Status check_lists(const Op& op, int spatial_rank) {
  NESTRT_RETURN_IF_ERROR(check_list("kernel", op.kernel, spatial_rank, 1));
  NESTRT_RETURN_IF_ERROR(check_list("stride", op.stride, spatial_rank, 1));
  NESTRT_RETURN_IF_ERROR(check_list("dilation", op.dilation, spatial_rank, 1));
  NESTRT_RETURN_IF_ERROR(check_list("pad_begin", op.pad_begin, spatial_rank, 0));
  NESTRT_RETURN_IF_ERROR(check_list("pad_end", op.pad_end, spatial_rank, 0));
  if constexpr (std::is_same_v<Op, ops::ConvTranspose>) {
    if (!op.output_padding.empty()) return check_list("output_padding", op.output_padding, spatial_rank, 0);
  }
  return {};
}

Status check_operands(const OperatorSpec& spec) {
  if (spec.inputs.size() < 2 || spec.inputs.size() > 4 || !spec.has_input(0) || !spec.has_input(1))
    return rule_error(
        fmt::format("has {} operands, expected input, weights, and optionally bias and residual", spec.inputs.size()));
  // s8::check_product() checks the types of a quantized Conv.
  const bool quantized = spec.kind() == ops::Kind::kConv && spec.inputs[0].type == DataType::kS8;
  static constexpr const char* kNames[] = {"input", "weights", "bias", "residual"};
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    if (!spec.has_input(i)) continue;
    const TensorSpec& tensor = spec.inputs[i];
    if (!quantized && tensor.type != DataType::kF32)
      return Status(Code::kUnsupported, fmt::format("{} is {}, only f32 is supported", kNames[i], name(tensor.type)));
    if ((i == 1 || i == 2) && tensor.layout != Layout::kPlain)
      return rule_error(fmt::format("{} must have the plain layout", kNames[i]));
  }
  const Shape& input = spec.inputs[0].shape;
  if (input.rank() < 3 || input.rank() > 5)
    return Status(Code::kUnsupported,
                  fmt::format("input {} must have a batch, channels and 1 to 3 spatial axes", input.to_string()));
  for (const Shape* shape : {&input, &spec.inputs[1].shape})
    for (int64_t dim : shape->dims())
      if (dim < 1) return rule_error(fmt::format("shape {} is empty", shape->to_string()));
  return {};
}

// Checks that the weights have the shape that the attributes and the input require.
Status check_weights(const Shape& weights, const Shape& expected, const char* form) {
  if (weights == expected) return {};
  return rule_error(fmt::format("weights are {}, expected {} ({})", weights.to_string(), expected.to_string(), form));
}

// Sets all fields of the axes except `output`.
template <typename Op>
void read_axes(const Op& op, const Shape& input, ConvGeometry& geometry) {
  const int spatial_rank = input.rank() - 2;
  for (int i = 0; i < spatial_rank; ++i) {
    const auto at = static_cast<size_t>(i);
    ConvAxis& axis = geometry.axes[static_cast<size_t>(3 - spatial_rank + i)];
    axis.input = input[2 + i];
    axis.kernel = op.kernel[at];
    axis.stride = op.stride[at];
    axis.dilation = op.dilation[at];
    axis.pad_begin = op.pad_begin[at];
    axis.pad_end = op.pad_end[at];
  }
}

Status finish(const OperatorSpec& spec, ConvGeometry& geometry) {
  const int spatial_rank = spec.inputs[0].shape.rank() - 2;
  geometry.output = {geometry.batch, geometry.out_channels};
  for (int i = 0; i < spatial_rank; ++i) {
    const int64_t extent = geometry.axes[static_cast<size_t>(3 - spatial_rank + i)].output;
    if (extent < 1)
      return rule_error(fmt::format(
          "spatial axis {} of the output would have {} elements: the kernel is larger than the padded input {}", i,
          extent, spec.inputs[0].shape.to_string()));
    geometry.output.push_back(extent);
  }
  int64_t elements = 1;
  for (int64_t dim : geometry.output.dims())
    if (__builtin_mul_overflow(elements, dim, &elements) || elements > kMaxElements)
      return rule_error(fmt::format("output {} is too large", geometry.output.to_string()));
  if (spec.has_input(2) && !(spec.inputs[2].shape == Shape{geometry.out_channels}))
    return rule_error(fmt::format("bias is {}, expected {}", spec.inputs[2].shape.to_string(), geometry.out_channels));
  if (spec.has_input(3) && !(spec.inputs[3].shape == geometry.output))
    return rule_error(fmt::format("residual is {}, expected the output's shape {}", spec.inputs[3].shape.to_string(),
                                  geometry.output.to_string()));
  return {};
}

template <typename Op>
Status start(const Op& op, const OperatorSpec& spec, ConvGeometry& geometry) {
  NESTRT_RETURN_IF_ERROR(check_operands(spec));
  const Shape& input = spec.inputs[0].shape;
  NESTRT_RETURN_IF_ERROR(check_lists(op, input.rank() - 2));
  geometry.batch = input[0];
  geometry.in_channels = input[1];
  geometry.group = op.group;
  if (op.group < 1 || geometry.in_channels % op.group != 0)
    return rule_error(fmt::format("group {} does not divide the {} input channels", op.group, geometry.in_channels));
  read_axes(op, input, geometry);
  return {};
}

// Restricts the output to `rows` and reduces the padding accordingly. The padding becomes negative if input rows are
// skipped.
Status cut_rows(const RowWindow& rows, ConvAxis& height) {
  if (rows.first < 0 || rows.count < 1 || rows.count > height.output || rows.first > height.output - rows.count)
    return rule_error(fmt::format("rows {} to {} are outside the output's {} rows", rows.first, rows.first + rows.count,
                                  height.output));
  height.pad_begin -= rows.first * height.stride;
  height.pad_end -= (height.output - rows.first - rows.count) * height.stride;
  height.output = rows.count;
  return {};
}

}  // namespace

Result<ConvGeometry> conv_geometry(const OperatorSpec& spec) {
  const ops::Conv& conv = *spec.as<ops::Conv>();
  ConvGeometry geometry;
  NESTRT_RETURN_IF_ERROR(start(conv, spec, geometry));
  if (spec.inputs[0].type == DataType::kS8)
    NESTRT_RETURN_IF_ERROR(s8::check_product(spec, conv.activation, conv.wide_output));
  const Shape& weights = spec.inputs[1].shape;
  geometry.out_channels = weights[0];
  Shape expected{geometry.out_channels, geometry.group_inputs()};
  for (int32_t extent : conv.kernel) expected.push_back(extent);
  NESTRT_RETURN_IF_ERROR(check_weights(weights, expected, "outputs, input channels / group, kernel"));
  if (geometry.out_channels % geometry.group != 0)
    return rule_error(
        fmt::format("group {} does not divide the {} output channels", geometry.group, geometry.out_channels));
  for (ConvAxis& axis : geometry.axes) {
    const int64_t room = axis.input + axis.pad_begin + axis.pad_end - ((axis.kernel - 1) * axis.dilation + 1);
    axis.output = room < 0 ? 0 : room / axis.stride + 1;
  }
  if (spec.rows) NESTRT_RETURN_IF_ERROR(cut_rows(*spec.rows, geometry.axes[1]));
  NESTRT_RETURN_IF_ERROR(finish(spec, geometry));
  return geometry;
}

Result<ConvGeometry> conv_transpose_geometry(const OperatorSpec& spec) {
  const ops::ConvTranspose& conv = *spec.as<ops::ConvTranspose>();
  ConvGeometry geometry;
  NESTRT_RETURN_IF_ERROR(start(conv, spec, geometry));
  const Shape& weights = spec.inputs[1].shape;
  Shape expected{geometry.in_channels, weights.rank() > 1 ? weights[1] : 0};
  for (int32_t extent : conv.kernel) expected.push_back(extent);
  NESTRT_RETURN_IF_ERROR(check_weights(weights, expected, "input channels, outputs / group, kernel"));
  if (__builtin_mul_overflow(weights[1], geometry.group, &geometry.out_channels))
    return rule_error("the number of output channels overflows");
  const int spatial_rank = spec.inputs[0].shape.rank() - 2;
  for (int i = 0; i < spatial_rank; ++i) {
    ConvAxis& axis = geometry.axes[static_cast<size_t>(3 - spatial_rank + i)];
    int64_t reach = 0;
    if (__builtin_mul_overflow(axis.input - 1, axis.stride, &reach) ||
        __builtin_add_overflow(reach, (axis.kernel - 1) * axis.dilation + 1, &reach))
      return rule_error("the output's extent overflows");
    const int64_t extra = conv.output_padding.empty() ? 0 : conv.output_padding[static_cast<size_t>(i)];
    if (__builtin_add_overflow(reach, extra, &reach)) return rule_error("the output's extent overflows");
    axis.output = reach - axis.pad_begin - axis.pad_end;
  }
  NESTRT_RETURN_IF_ERROR(finish(spec, geometry));
  return geometry;
}

namespace {

bool is_unit(const ConvAxis& axis) {
  return axis.input == 1 && axis.kernel == 1 && axis.output == 1 && axis.pad_begin == 0;
}

bool reads_own_position(const ConvAxis& axis) {
  return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.output == axis.input;
}

}  // namespace

ConvGeometry without_unit_axes(ConvGeometry geometry) {
  auto& [d, h, w] = geometry.axes;
  for (const auto& [outer, inner] : {std::pair(&h, &w), std::pair(&d, &h), std::pair(&h, &w)})
    if (is_unit(*inner)) *inner = std::exchange(*outer, {});
  return geometry;
}

ConvGeometry with_merged_axes(ConvGeometry geometry) {
  geometry = without_unit_axes(geometry);
  auto& [d, h, w] = geometry.axes;
  for (const auto& [outer, inner] : {std::pair(&h, &w), std::pair(&d, &h)}) {
    if (!reads_own_position(*inner) || !reads_own_position(*outer)) continue;
    inner->input *= outer->input;
    inner->output = inner->input;
    *outer = {};
  }
  return without_unit_axes(geometry);
}

}  // namespace nestrt::kernels
