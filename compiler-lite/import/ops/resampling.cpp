// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

// --- Pad ------------------------------------------------------------------------------------------------------------

// The padding value: an attribute if a float represents it exactly, or else an operand.
struct PadValue {
  float number = 0;
  ValueId operand = kNoValue;
};

Status pad(NodeContext& node, const std::vector<int64_t>& pads, const std::vector<int>& axes, const PadValue& value) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  ops::Pad op;
  NESTRT_ASSIGN_OR_RETURN(op.mode, node.keyword("mode", kPadModes, "constant"));
  if (pads.size() != 2 * axes.size()) {
    return node.invalid(fmt::format("pads has {} entries instead of {}", pads.size(), 2 * axes.size()));
  }
  for (int64_t entry : pads) {
    if (entry > INT32_MAX || entry < -INT32_MAX) return node.invalid(fmt::format("a pad of {} is too large", entry));
  }
  const auto rank = static_cast<size_t>(node.shape(x).rank());
  op.begin.assign(rank, 0);
  op.end.assign(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    op.begin[static_cast<size_t>(axes[i])] = pads[i];
    op.end[static_cast<size_t>(axes[i])] = pads[axes.size() + i];
  }
  op.value = value.number;
  if (std::all_of(pads.begin(), pads.end(), [](int64_t entry) { return entry == 0; })) return node.set_output(0, x);
  std::vector<ValueId> operands = {x};
  if (value.operand != kNoValue && op.mode == ops::PadMode::kConstant) operands.push_back(value.operand);
  return node.finish(std::move(op), std::move(operands));
}

std::vector<int> all_axes(int rank) {
  std::vector<int> axes(static_cast<size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) axes[static_cast<size_t>(axis)] = axis;
  return axes;
}

// Returns the axes as non-negative numbers in the node's order, which lists such as scales follow.
Result<std::vector<int>> ordered_axes(const NodeContext& node, const std::vector<int64_t>& stated, int rank) {
  NESTRT_RETURN_IF_ERROR(node.axes(stated, rank).error());
  std::vector<int> axes;
  for (int64_t axis : stated) axes.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
  return axes;
}

Status import_pad_attributes(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return pad(node, node.attribute("pads", std::vector<int64_t>()), all_axes(node.shape(x).rank()),
             {node.attribute("value", 0.0f)});
}

// Reads the input constant_value, which has the same type as `x`.
Result<PadValue> read_pad_value(NodeContext& node, ValueId x) {
  PadValue value;
  const ValueId stated = node.optional_input(2);
  if (stated == kNoValue || node.shape(stated).num_elements() == 0) return value;
  if (node.shape(stated).num_elements() != 1) return node.invalid("constant_value must be one number");
  if (node.value(stated).is_constant()) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<float> number, node.constant_floats(2, "constant_value"));
    value.number = number.front();
    if (node.type(stated) == DataType::kF32) return value;
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> integer, node.constant_ints(2, "constant_value"));
    const bool is_exact = std::abs(double{value.number}) < 0x1p62 && static_cast<int64_t>(value.number) == integer[0];
    if (is_exact && std::abs(value.number) < 0x1p31f) return value;
  }
  value.number = 0;
  if (node.type(stated) != node.type(x)) return node.invalid("constant_value must have the type of the input");
  NESTRT_ASSIGN_OR_RETURN(value.operand, node.reshape(stated, {}));
  return value;
}

Status import_pad_inputs(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> pads, node.constant_ints(1, "pads"));
  NESTRT_ASSIGN_OR_RETURN(const PadValue value, read_pad_value(node, x));
  std::vector<int> axes = all_axes(node.shape(x).rank());
  if (node.has_input(3)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, node.constant_ints(3, "axes"));
    NESTRT_ASSIGN_OR_RETURN(axes, ordered_axes(node, stated, node.shape(x).rank()));
  }
  return pad(node, pads, axes, value);
}

// --- Resize ---------------------------------------------------------------------------------------------------------

Result<ops::ResizeMode> resize_mode(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ops::ResizeMode mode, node.keyword("mode", kResizeModes, "nearest"));
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  if (mode == ops::ResizeMode::kNearest || node.type(x) == DataType::kF32) return mode;
  return node.unsupported(fmt::format("mode '{}' of {}; cast it to float, or quantize the model in the QDQ format",
                                      name(mode), name(node.type(x))));
}

// Computes sizes from scales.
Status set_scales(NodeContext& node, const Shape& input, const std::vector<int>& axes, const std::vector<float>& scales,
                  ops::Resize& resize) {
  if (scales.size() != axes.size()) return node.invalid("scales must have one entry per axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const auto rank = static_cast<size_t>(input.rank());
    const float part = resize.roi.empty() ? 1.0f : resize.roi[rank + axis] - resize.roi[axis];
    if (part != 1)
      return node.unsupported(fmt::format(
          "tf_crop_and_resize with scales is ambiguous for {} of axis {}: the ONNX specification scales "
          "the region, but ONNX Runtime and ONNX shape inference scale the whole axis; specify sizes instead of scales",
          part, axes[i]));
    const float size = std::floor(static_cast<float>(input[axes[i]]) * scales[i]);
    if (!(scales[i] > 0) || !(size >= 0 && size < 0x1p31f)) {
      return node.invalid(fmt::format("scale {} of axis {} is out of range", scales[i], axes[i]));
    }
    const bool is_whole = size == static_cast<float>(input[axes[i]]) * scales[i];
    if (resize.coordinate == ops::CoordinateMode::kAlignCorners && !is_whole)
      return node.unsupported(
          fmt::format("align_corners with scale {} of axis {} does not scale its {} elements to a whole number; ONNX "
                      "and ONNX Runtime align different corners then; specify sizes instead of scales",
                      scales[i], axes[i], input[axes[i]]));
    resize.scales[axis] = scales[i];
    resize.sizes[axis] = static_cast<int64_t>(size);
  }
  return ok_status();
}

Status set_sizes(NodeContext& node, const Shape& input, const std::vector<int>& axes, std::vector<int64_t> sizes,
                 ops::Resize& resize) {
  if (sizes.size() != axes.size()) return node.invalid("sizes must have one entry per axis");
  const std::string policy = node.attribute("keep_aspect_ratio_policy", "stretch");
  std::optional<float> common;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > INT32_MAX || input[axes[i]] < 1)
      return node.invalid("sizes must be positive and the input must not be empty");
    const float scale = static_cast<float>(sizes[i]) / static_cast<float>(input[axes[i]]);
    if (policy == "not_larger") common = std::min(common.value_or(scale), scale);
    if (policy == "not_smaller") common = std::max(common.value_or(scale), scale);
  }
  if (policy != "stretch" && !common)
    return node.invalid(fmt::format("keep_aspect_ratio_policy '{}' is unknown", policy));
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    if (common) sizes[i] = static_cast<int64_t>(std::round(*common * static_cast<float>(input[axes[i]])));
    resize.scales[axis] = common ? *common : static_cast<float>(sizes[i]) / static_cast<float>(input[axes[i]]);
    resize.sizes[axis] = sizes[i];
  }
  return ok_status();
}

Status set_region(NodeContext& node, const std::vector<int>& axes, int rank, ops::Resize& resize) {
  if (resize.coordinate != ops::CoordinateMode::kTfCropAndResize) return ok_status();
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> roi, node.constant_floats(1, "roi"));
  if (roi.size() != 2 * axes.size()) return node.invalid("roi must have two entries per axis");
  resize.roi.assign(static_cast<size_t>(rank), 0.0f);
  resize.roi.resize(2 * static_cast<size_t>(rank), 1.0f);
  for (size_t i = 0; i < axes.size(); ++i) {
    resize.roi[static_cast<size_t>(axes[i])] = roi[i];
    resize.roi[static_cast<size_t>(rank + axes[i])] = roi[axes.size() + i];
  }
  return ok_status();
}

// Returns true if every scale is 1 and the size does not change.
bool is_identity(const Shape& input, const ops::Resize& resize) {
  const auto is_one = [](float scale) { return scale == 1.0f; };
  return resize.roi.empty() && std::equal(input.begin(), input.end(), resize.sizes.begin(), resize.sizes.end()) &&
         std::all_of(resize.scales.begin(), resize.scales.end(), is_one);
}

ops::Resize same_size(const Shape& input) {
  ops::Resize resize;
  resize.scales.assign(static_cast<size_t>(input.rank()), 1.0f);
  resize.sizes.assign(input.begin(), input.end());
  return resize;
}

Status import_resize(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  ops::Resize resize = same_size(shape);
  NESTRT_ASSIGN_OR_RETURN(resize.mode, resize_mode(node));
  NESTRT_ASSIGN_OR_RETURN(resize.coordinate,
                          node.keyword("coordinate_transformation_mode", kCoordinateModes, "half_pixel"));
  NESTRT_ASSIGN_OR_RETURN(resize.nearest, node.keyword("nearest_mode", kNearestModes, "round_prefer_floor"));
  resize.cubic_coefficient = node.attribute("cubic_coeff_a", -0.75f);
  resize.exclude_outside = node.flag("exclude_outside", false);
  resize.extrapolation_value = node.attribute("extrapolation_value", 0.0f);
  if (node.flag("antialias", false)) return node.unsupported("antialias is not supported");
  std::vector<int> axes = all_axes(shape.rank());
  if (node.has_attribute("axes")) {
    NESTRT_ASSIGN_OR_RETURN(axes, ordered_axes(node, node.attribute("axes", std::vector<int64_t>()), shape.rank()));
  }
  NESTRT_RETURN_IF_ERROR(set_region(node, axes, shape.rank(), resize));
  std::vector<float> scales;  // an empty tensor counts as absent
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(scales, node.constant_floats(2, "scales"));
  }
  if (!scales.empty()) {
    node.ignore("keep_aspect_ratio_policy");
    NESTRT_RETURN_IF_ERROR(set_scales(node, shape, axes, scales, resize));
  } else {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, node.constant_ints(3, "sizes"));
    NESTRT_RETURN_IF_ERROR(set_sizes(node, shape, axes, sizes, resize));
  }
  if (is_identity(shape, resize)) return node.set_output(0, x);
  return node.finish(std::move(resize), {x});
}

// Imports Upsample, and Resize of opset 10. Positions scale without an offset. Mode `nearest` uses the lower neighbour
// when enlarging and the upper one when shrinking.
Status import_upsample(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  ops::Resize resize = same_size(shape);
  NESTRT_ASSIGN_OR_RETURN(resize.mode, resize_mode(node));
  resize.coordinate = ops::CoordinateMode::kAsymmetric;
  std::vector<float> scales = node.attribute("scales", std::vector<float>());
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(scales, node.constant_floats(1, "scales"));
  }
  NESTRT_RETURN_IF_ERROR(set_scales(node, shape, all_axes(shape.rank()), scales, resize));
  const bool shrinks = std::any_of(scales.begin(), scales.end(), [](float scale) { return scale < 1; });
  const bool grows = std::any_of(scales.begin(), scales.end(), [](float scale) { return scale > 1; });
  if (shrinks && grows && resize.mode == ops::ResizeMode::kNearest) {
    return node.unsupported(
        "mode nearest is ambiguous if it grows one axis and shrinks another; export the model with opset 11 or later, "
        "which has nearest_mode");
  }
  resize.nearest = shrinks ? ops::NearestMode::kCeil : ops::NearestMode::kFloor;
  if (is_identity(shape, resize)) return node.set_output(0, x);
  return node.finish(std::move(resize), {x});
}

Status import_grid_sample(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId grid, node.input(1));
  ops::GridSample op;
  op.align_corners = node.flag("align_corners", false);
  NESTRT_ASSIGN_OR_RETURN(op.mode, node.keyword("mode", kGridSampleModes, "linear"));
  NESTRT_ASSIGN_OR_RETURN(op.padding, node.keyword("padding_mode", kGridSamplePaddings, "zeros"));
  return node.finish(op, {x, grid});
}

// Returns the position of element `index` of `count` between -1 and 1. Without `corners`, -1 and 1 are the outer edges
// of the elements; with `corners`, they are the centres of the first and last element. A single element is then at -1,
// as in the function body of AffineGrid.
double position(int64_t index, int64_t count, bool corners) {
  if (corners) return 2.0 * static_cast<double>(index) / static_cast<double>(std::max<int64_t>(count - 1, 1)) - 1;
  return (2.0 * static_cast<double>(index) + 1) / static_cast<double>(count) - 1;
}

// Returns the points of an image or volume of this shape, last axis first, each followed by a 1: [points, axes + 1].
Result<ValueId> points_of(NodeContext& node, const Shape& shape, bool corners) {
  const int axes = shape.rank();
  const Shape result{shape.num_elements(), axes + 1};
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, result));
  std::vector<float> points;
  for (int64_t point = 0; point < result[0]; ++point) {
    int64_t left = point;
    for (int axis = axes - 1; axis >= 0; left /= shape[axis--])
      points.push_back(static_cast<float>(position(left % shape[axis], shape[axis], corners)));
    points.push_back(1);
  }
  return node.constant(points, result);
}

// Multiplies theta [N, axes, axes + 1] by every point.
Status import_affine_grid(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId theta, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> size, node.constant_ints(1, "size"));
  const bool fits = (size.size() == 4 || size.size() == 5) &&
                    std::all_of(size.begin(), size.end(), [](int64_t dim) { return dim > 0 && dim < (1 << 30); });
  if (!fits) return node.invalid("size must be [N, C, H, W] or [N, C, D, H, W]");
  Shape shape, result{size[0]};
  for (size_t i = 2; i < size.size(); ++i) {
    shape.push_back(size[i]);
    result.push_back(size[i]);
  }
  const int64_t axes = shape.rank();
  result.push_back(axes);
  if (node.shape(theta) != Shape{size[0], axes, axes + 1}) return node.invalid("theta has the wrong shape");
  NESTRT_RETURN_IF_ERROR(node.check_size(DataType::kF32, result));
  NESTRT_ASSIGN_OR_RETURN(const ValueId points, points_of(node, shape, node.flag("align_corners", false)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId columns, node.transpose(theta, {0, 2, 1}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId grid, node.add(ops::MatMul(), {points, columns}));
  return node.set_output(node.reshape(grid, result));
}

constexpr ImportRule kResamplingRules[] = {
    {"AffineGrid", import_affine_grid, 20}, {"GridSample", import_grid_sample, 16},
    {"Pad", import_pad_attributes, 6, 10},  {"Pad", import_pad_inputs, 11},
    {"Resize", import_resize, 11},          {"Resize", import_upsample, 10, 10},
    {"Upsample", import_upsample, 7, 9},
};

}  // namespace

std::span<const ImportRule> resampling_rules() { return kResamplingRules; }

}  // namespace nestrt::compiler
