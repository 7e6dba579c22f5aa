#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

// --- Pad ------------------------------------------------------------------------------------------------------------

Status pad(NodeContext& node, const std::vector<int64_t>& pads, const std::vector<int>& axes, float value) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const std::string mode = node.attribute("mode", "constant");
  plan::PadT table;
  if (mode == "reflect")
    table.mode = plan::PadMode::reflect;
  else if (mode == "edge")
    table.mode = plan::PadMode::edge;
  else if (mode != "constant")
    return node.unsupported("mode '" + mode + "' is not supported; constant, reflect and edge are");
  if (pads.size() != 2 * axes.size()) {
    return node.invalid("pads has " + std::to_string(pads.size()) + " entries instead of " +
                        std::to_string(2 * axes.size()));
  }
  for (int64_t entry : pads) {
    if (entry > INT32_MAX || entry < -INT32_MAX)
      return node.invalid("a pad of " + std::to_string(entry) + " is too large");
  }
  const auto rank = static_cast<size_t>(node.shape(x).rank());
  table.begin.assign(rank, 0);
  table.end.assign(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    table.begin[static_cast<size_t>(axes[i])] = pads[i];
    table.end[static_cast<size_t>(axes[i])] = pads[axes.size() + i];
  }
  table.value = value;
  if (std::all_of(pads.begin(), pads.end(), [](int64_t entry) { return entry == 0; })) return node.set_output(0, x);
  return node.finish(std::move(table), {x});
}

std::vector<int> all_axes(int rank) {
  std::vector<int> axes(static_cast<size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) axes[static_cast<size_t>(axis)] = axis;
  return axes;
}

// Axes in the order of the lists that follow them. Absent: all.
Result<std::vector<int>> ordered_axes(const NodeContext& node, const std::vector<int64_t>& stated, int rank) {
  NESTRT_RETURN_IF_ERROR(node.axes(stated, rank).error());
  std::vector<int> axes;
  for (int64_t axis : stated) axes.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
  return axes;
}

Status import_pad_attributes(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return pad(node, node.attribute("pads", std::vector<int64_t>()), all_axes(node.shape(x).rank()),
             node.attribute("value", 0.0f));
}

Status import_pad_inputs(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> pads, node.constant_ints(1, "pads"));
  float value = 0;
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<float> stated, node.constant_floats(2, "constant_value"));
    if (stated.size() > 1) return node.invalid("constant_value must be one number");
    if (!stated.empty()) value = stated.front();
  }
  std::vector<int> axes = all_axes(node.shape(x).rank());
  if (node.has_input(3)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, node.constant_ints(3, "axes"));
    NESTRT_ASSIGN_OR_RETURN(axes, ordered_axes(node, stated, node.shape(x).rank()));
  }
  return pad(node, pads, axes, value);
}

// --- Resize ---------------------------------------------------------------------------------------------------------

Result<plan::ResizeMode> resize_mode(NodeContext& node) {
  const std::string mode = node.attribute("mode", "nearest");
  if (mode == "nearest") return plan::ResizeMode::nearest;
  if (mode == "linear" || mode == "bilinear") return plan::ResizeMode::linear;
  if (mode == "cubic") return plan::ResizeMode::cubic;
  return node.invalid("mode '" + mode + "' is unknown");
}

Result<plan::CoordinateMode> coordinate_mode(NodeContext& node) {
  using plan::CoordinateMode;
  const std::string mode = node.attribute("coordinate_transformation_mode", "half_pixel");
  if (mode == "half_pixel") return CoordinateMode::half_pixel;
  if (mode == "asymmetric") return CoordinateMode::asymmetric;
  if (mode == "align_corners") return CoordinateMode::align_corners;
  if (mode == "pytorch_half_pixel") return CoordinateMode::pytorch_half_pixel;
  if (mode == "tf_half_pixel_for_nn") return CoordinateMode::tf_half_pixel_for_nn;
  if (mode == "tf_crop_and_resize") return CoordinateMode::tf_crop_and_resize;
  return node.unsupported("coordinate_transformation_mode '" + mode + "' is not supported");
}

Result<plan::NearestMode> nearest_mode(NodeContext& node) {
  using plan::NearestMode;
  const std::string mode = node.attribute("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor") return NearestMode::round_prefer_floor;
  if (mode == "round_prefer_ceil") return NearestMode::round_prefer_ceil;
  if (mode == "floor") return NearestMode::floor;
  if (mode == "ceil") return NearestMode::ceil;
  return node.invalid("nearest_mode '" + mode + "' is unknown");
}

// Scales by axis -> sizes. The cropped part counts where there is a region of interest.
Status set_scales(NodeContext& node, const Shape& input, const std::vector<int>& axes, const std::vector<float>& scales,
                  plan::ResizeT& table) {
  if (scales.size() != axes.size()) return node.invalid("scales must have one entry per axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const auto rank = static_cast<size_t>(input.rank());
    const float part = table.roi.empty() ? 1.0f : table.roi[rank + axis] - table.roi[axis];
    const float size = std::floor(static_cast<float>(input[axes[i]]) * part * scales[i]);
    if (!(scales[i] > 0) || !(size >= 0 && size < 0x1p31f)) {
      return node.invalid("scale " + std::to_string(scales[i]) + " of axis " + std::to_string(axes[i]) +
                          " is not usable");
    }
    table.scales[axis] = scales[i];
    table.sizes[axis] = static_cast<int64_t>(size);
  }
  return ok_status();
}

Status set_sizes(NodeContext& node, const Shape& input, const std::vector<int>& axes, std::vector<int64_t> sizes,
                 plan::ResizeT& table) {
  if (sizes.size() != axes.size()) return node.invalid("sizes must have one entry per axis");
  const std::string policy = node.attribute("keep_aspect_ratio_policy", "stretch");
  std::optional<float> common;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > INT32_MAX || input[axes[i]] < 1)
      return node.invalid("sizes must be positive, of a tensor with elements");
    const float scale = static_cast<float>(sizes[i]) / static_cast<float>(input[axes[i]]);
    if (policy == "not_larger") common = std::min(common.value_or(scale), scale);
    if (policy == "not_smaller") common = std::max(common.value_or(scale), scale);
  }
  if (policy != "stretch" && !common) return node.invalid("keep_aspect_ratio_policy '" + policy + "' is unknown");
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    if (common) sizes[i] = static_cast<int64_t>(std::round(*common * static_cast<float>(input[axes[i]])));
    table.scales[axis] = common ? *common : static_cast<float>(sizes[i]) / static_cast<float>(input[axes[i]]);
    table.sizes[axis] = sizes[i];
  }
  return ok_status();
}

Status set_region(NodeContext& node, const std::vector<int>& axes, int rank, plan::ResizeT& table) {
  if (table.coordinate != plan::CoordinateMode::tf_crop_and_resize) return ok_status();
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> roi, node.constant_floats(1, "roi"));
  if (roi.size() != 2 * axes.size()) return node.invalid("roi must have two entries per axis");
  table.roi.assign(static_cast<size_t>(rank), 0.0f);
  table.roi.resize(2 * static_cast<size_t>(rank), 1.0f);
  for (size_t i = 0; i < axes.size(); ++i) {
    table.roi[static_cast<size_t>(axes[i])] = roi[i];
    table.roi[static_cast<size_t>(rank + axes[i])] = roi[axes.size() + i];
  }
  return ok_status();
}

// Nothing changes: every scale 1.
bool is_identity(const Shape& input, const plan::ResizeT& table) {
  const auto is_one = [](float scale) { return scale == 1.0f; };
  return table.roi.empty() && std::equal(input.begin(), input.end(), table.sizes.begin(), table.sizes.end()) &&
         std::all_of(table.scales.begin(), table.scales.end(), is_one);
}

plan::ResizeT same_size(const Shape& input) {
  plan::ResizeT table;
  table.scales.assign(static_cast<size_t>(input.rank()), 1.0f);
  table.sizes.assign(input.begin(), input.end());
  return table;
}

Status import_resize(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  plan::ResizeT table = same_size(shape);
  NESTRT_ASSIGN_OR_RETURN(table.mode, resize_mode(node));
  NESTRT_ASSIGN_OR_RETURN(table.coordinate, coordinate_mode(node));
  NESTRT_ASSIGN_OR_RETURN(table.nearest, nearest_mode(node));
  table.cubic_coefficient = node.attribute("cubic_coeff_a", -0.75f);
  table.exclude_outside = node.flag("exclude_outside", false);
  table.extrapolation_value = node.attribute("extrapolation_value", 0.0f);
  if (node.flag("antialias", false)) return node.unsupported("antialias is not supported");
  std::vector<int> axes = all_axes(shape.rank());
  if (node.has_attribute("axes")) {
    NESTRT_ASSIGN_OR_RETURN(axes, ordered_axes(node, node.attribute("axes", std::vector<int64_t>()), shape.rank()));
  }
  NESTRT_RETURN_IF_ERROR(set_region(node, axes, shape.rank(), table));
  std::vector<float> scales;  // an empty tensor stands for an absent one
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(scales, node.constant_floats(2, "scales"));
  }
  if (!scales.empty()) {
    node.ignore("keep_aspect_ratio_policy");
    NESTRT_RETURN_IF_ERROR(set_scales(node, shape, axes, scales, table));
  } else {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, node.constant_ints(3, "sizes"));
    NESTRT_RETURN_IF_ERROR(set_sizes(node, shape, axes, sizes, table));
  }
  if (is_identity(shape, table)) return node.set_output(0, x);
  return node.finish(std::move(table), {x});
}

// Upsample, and Resize of opset 10: positions scale without an offset; nearest takes the lower neighbour when growing,
// the upper one when shrinking.
Status import_upsample(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  plan::ResizeT table = same_size(shape);
  NESTRT_ASSIGN_OR_RETURN(table.mode, resize_mode(node));
  table.coordinate = plan::CoordinateMode::asymmetric;
  std::vector<float> scales = node.attribute("scales", std::vector<float>());
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(scales, node.constant_floats(1, "scales"));
  }
  NESTRT_RETURN_IF_ERROR(set_scales(node, shape, all_axes(shape.rank()), scales, table));
  const bool shrinks = std::any_of(scales.begin(), scales.end(), [](float scale) { return scale < 1; });
  const bool grows = std::any_of(scales.begin(), scales.end(), [](float scale) { return scale > 1; });
  if (shrinks && grows && table.mode == plan::ResizeMode::nearest) {
    return node.unsupported("nearest, growing on one axis and shrinking on another");
  }
  table.nearest = shrinks ? plan::NearestMode::ceil : plan::NearestMode::floor;
  if (is_identity(shape, table)) return node.set_output(0, x);
  return node.finish(std::move(table), {x});
}

constexpr ImportRule kRules[] = {
    {"Pad", import_pad_attributes, 6, 10}, {"Pad", import_pad_inputs, 11},      {"Resize", import_resize, 11},
    {"Resize", import_upsample, 10, 10},   {"Upsample", import_upsample, 7, 9},
};

}  // namespace

std::span<const ImportRule> resampling_rules() { return kRules; }

}  // namespace nestrt::compiler
