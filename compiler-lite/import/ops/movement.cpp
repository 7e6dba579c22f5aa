// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

Status import_concat(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, node.all_inputs());
  ops::Concat concat;
  NESTRT_ASSIGN_OR_RETURN(concat.axis, node.axis(node.attribute("axis", int64_t{1}), node.shape(inputs[0]).rank()));
  if (inputs.size() == 1) return node.set_output(0, inputs[0]);
  return node.finish(std::move(concat), std::move(inputs));
}

Status import_transpose(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const int rank = node.shape(x).rank();
  const std::vector<int64_t> stated = node.attribute("perm", std::vector<int64_t>());
  if (!stated.empty() && static_cast<int>(stated.size()) != rank) return node.invalid("perm has the wrong length");
  std::vector<int> permutation;
  for (int i = 0; i < rank; ++i) {
    const int64_t axis = stated.empty() ? rank - 1 - i : stated[static_cast<size_t>(i)];
    NESTRT_ASSIGN_OR_RETURN(const int valid, node.axis(axis, rank));
    permutation.push_back(valid);
  }
  if (std::is_sorted(permutation.begin(), permutation.end()) && !permutation.empty()) {
    if (std::adjacent_find(permutation.begin(), permutation.end()) == permutation.end()) return node.set_output(0, x);
  }
  return node.set_output(node.transpose(x, permutation));
}

// --- Slice, Split ---------------------------------------------------------------------------------------------------

// One axis of a slice: first index, step and number of elements.
struct Range {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

// Clamps bounds as ONNX does: with a negative step, a start before the first element becomes the first element.
// Requires: step != 0.
Range clamp_range(int64_t dim, int64_t start, int64_t end, int64_t step) {
  if (dim == 0) return {};
  // A step of magnitude `dim` or more selects only the first element, so clamping it does not change the result.
  step = std::clamp(step, -dim, dim);
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  const int64_t first = std::clamp<int64_t>(start, 0, step > 0 ? dim : dim - 1);
  const int64_t last = step > 0 ? std::clamp<int64_t>(end, 0, dim) : std::clamp<int64_t>(end, -1, dim - 1);
  const int64_t distance = step > 0 ? last - first : first - last;
  const int64_t width = step > 0 ? step : -step;
  if (distance <= 0) return {0, 1, 0};
  return {first, step, (distance + width - 1) / width};
}

struct SliceLists {
  std::vector<int64_t> starts, ends, axes, steps;
};

Result<ValueId> slice(NodeContext& node, ValueId x, const SliceLists& lists) {
  Shape shape = node.shape(x);
  const size_t rank = static_cast<size_t>(shape.rank());
  const size_t count = lists.starts.size();
  if (lists.ends.size() != count || (!lists.axes.empty() && lists.axes.size() != count) ||
      (!lists.steps.empty() && lists.steps.size() != count) || (lists.axes.empty() && count > rank)) {
    return node.invalid("starts, ends, axes and steps must have the same length");
  }
  std::vector<int64_t> start(rank, 0);
  std::vector<int64_t> step(rank, 1);
  for (size_t i = 0; i < count; ++i) {
    NESTRT_ASSIGN_OR_RETURN(const int axis,
                            node.axis(lists.axes.empty() ? static_cast<int64_t>(i) : lists.axes[i], shape.rank()));
    const int64_t by = lists.steps.empty() ? 1 : lists.steps[i];
    if (by == 0) return node.invalid("a step must not be 0");
    const Range range = clamp_range(node.shape(x)[axis], lists.starts[i], lists.ends[i], by);
    start[static_cast<size_t>(axis)] = range.start;
    step[static_cast<size_t>(axis)] = range.step;
    shape[axis] = range.count;
  }
  return node.slice(x, start, step, shape);
}

Status import_slice_attributes(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  SliceLists lists;
  lists.starts = node.attribute("starts", std::vector<int64_t>());
  lists.ends = node.attribute("ends", std::vector<int64_t>());
  lists.axes = node.attribute("axes", std::vector<int64_t>());
  return node.set_output(slice(node, x, lists));
}

Status import_slice_inputs(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  SliceLists lists;
  NESTRT_ASSIGN_OR_RETURN(lists.starts, node.constant_ints(1, "starts"));
  NESTRT_ASSIGN_OR_RETURN(lists.ends, node.constant_ints(2, "ends"));
  if (node.has_input(3)) {
    NESTRT_ASSIGN_OR_RETURN(lists.axes, node.constant_ints(3, "axes"));
  }
  if (node.has_input(4)) {
    NESTRT_ASSIGN_OR_RETURN(lists.steps, node.constant_ints(4, "steps"));
  }
  return node.set_output(slice(node, x, lists));
}

// Returns the extents along the axis: those of the attribute or input, or else equal extents. Since opset 18, the last
// extent may be smaller.
Result<std::vector<int64_t>> split_extents(NodeContext& node, int64_t dim) {
  std::vector<int64_t> extents = node.attribute("split", std::vector<int64_t>());
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(extents, node.constant_ints(1, "split"));
  }
  const auto outputs = static_cast<int64_t>(node.num_outputs());
  const int64_t parts = node.attribute("num_outputs", outputs);
  if (outputs == 0 || parts != outputs) return node.invalid("num_outputs differs from the number of outputs");
  if (extents.empty()) {
    const int64_t chunk = (dim + parts - 1) / parts;
    if (chunk * (parts - 1) > dim || (node.opset() < 18 && dim % parts != 0)) {
      return node.invalid(fmt::format("the axis of {} elements cannot be split into {} equal parts", dim, parts));
    }
    extents.assign(static_cast<size_t>(parts), chunk);
    extents.back() = dim - chunk * (parts - 1);
  }
  int64_t total = 0;
  for (int64_t extent : extents) {
    if (extent < 0 || __builtin_add_overflow(total, extent, &total))
      return node.invalid("an entry of split is negative or too large");
  }
  if (total != dim || static_cast<int64_t>(extents.size()) != outputs) {
    return node.invalid(fmt::format("split must have one entry per output, which add up to {}", dim));
  }
  return extents;
}

Status import_split(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  Shape shape = node.shape(x);
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(node.attribute("axis", int64_t{0}), shape.rank()));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> extents, split_extents(node, shape[axis]));
  std::vector<int64_t> start(static_cast<size_t>(shape.rank()), 0);
  const std::vector<int64_t> step(start.size(), 1);
  for (size_t i = 0; i < extents.size(); ++i) {
    shape[axis] = extents[i];
    NESTRT_ASSIGN_OR_RETURN(const ValueId part, node.slice(x, start, step, shape));
    NESTRT_RETURN_IF_ERROR(node.set_output(i, part));
    start[static_cast<size_t>(axis)] += extents[i];
  }
  return ok_status();
}

// --- Gather ---------------------------------------------------------------------------------------------------------

// Rejects constant indices outside the axis. Indices known only at run time are clamped to it.
Status check_indices(NodeContext& node, ValueId indices, int64_t dim) {
  const bool integers = node.type(indices) == DataType::kS64 || node.type(indices) == DataType::kS32;
  if (!node.value(indices).is_constant() || !integers) return ok_status();
  const auto [min, max] = node.extremes(indices);
  if (min > max || (min >= -dim && max < dim)) return ok_status();
  return node.invalid(fmt::format("index {} is outside an axis of {}", min < -dim ? min : max, dim));
}

template <typename Op>
Status import_gather(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId data, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.input(1));
  const Shape shape = node.shape(data);
  Op gather;
  NESTRT_ASSIGN_OR_RETURN(gather.axis, node.axis(node.attribute("axis", int64_t{0}), shape.rank()));
  NESTRT_RETURN_IF_ERROR(check_indices(node, indices, shape[gather.axis]));
  return node.finish(std::move(gather), {data, indices});
}

// Imports Compress: selects the slices whose condition, a constant, is true. Without an axis, the input is flattened
// first.
Status import_compress(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(ValueId data, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> condition, node.constant_ints(1, "condition"));
  int axis = 0;
  if (node.has_attribute("axis")) {
    NESTRT_ASSIGN_OR_RETURN(axis, node.axis(node.attribute("axis", int64_t{0}), node.shape(data).rank()));
  } else {
    NESTRT_ASSIGN_OR_RETURN(data, node.reshape(data, {node.shape(data).num_elements()}));
  }
  if (static_cast<int64_t>(condition.size()) > node.shape(data)[axis])
    return node.invalid("condition is longer than the axis");
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < condition.size(); ++i)
    if (condition[i] != 0) chosen.push_back(static_cast<int64_t>(i));
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.constant(chosen, {static_cast<int64_t>(chosen.size())}));
  return node.finish(ops::Gather{.axis = axis}, {data, indices});
}

// --- Tile, Expand ---------------------------------------------------------------------------------------------------

Status repeat_to(NodeContext& node, ValueId x, const Shape& shape) {
  if (node.shape(x) == shape) return node.set_output(0, x);
  NESTRT_RETURN_IF_ERROR(node.check_size(node.type(x), shape));
  ops::Tile tile;
  tile.shape.assign(shape.begin(), shape.end());
  return node.finish(std::move(tile), {x});
}

Status import_tile(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> repeats, node.constant_ints(1, "repeats"));
  Shape shape = node.shape(x);
  if (static_cast<int>(repeats.size()) != shape.rank()) return node.invalid("repeats must have one entry per axis");
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t times = repeats[static_cast<size_t>(axis)];
    if (times < 0 || __builtin_mul_overflow(shape[axis], times, &shape[axis]))
      return node.invalid("repeats are negative or too large");
  }
  return repeat_to(node, x, shape);
}

Status import_expand(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> target, node.constant_ints(1, "shape"));
  const Shape shape = node.shape(x);
  if (target.size() > static_cast<size_t>(Shape::kMaxRank)) return node.unsupported("more than 8 dimensions");
  const int rank = std::max(shape.rank(), static_cast<int>(target.size()));
  Shape result;
  for (int axis = 0; axis < rank; ++axis) {
    const int own = axis - (rank - shape.rank());
    const int wanted = axis - (rank - static_cast<int>(target.size()));
    const int64_t from = own < 0 ? 1 : shape[own];
    const int64_t to = wanted < 0 ? 1 : target[static_cast<size_t>(wanted)];
    if (to < 0 || (from != 1 && to != 1 && from != to)) {
      return node.invalid(fmt::format("dimension {} cannot be expanded to {}", from, to));
    }
    result.push_back(from == 1 ? to : from);
  }
  return repeat_to(node, x, result);
}

// --- CenterCropPad ---------------------------------------------------------------------------------------------------

// Imports CenterCropPad: around the centre, crops axes that are too long and pads axes that are too short with zeros.
Status import_center_crop_pad(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> target, node.constant_ints(1, "shape"));
  Shape shape = node.shape(x);
  const int rank = shape.rank();
  std::vector<int64_t> axes = node.attribute("axes", std::vector<int64_t>());
  for (int axis = 0; axis < rank && !node.has_attribute("axes"); ++axis) axes.push_back(axis);
  if (axes.size() != target.size()) return node.invalid("shape must have one entry per axis");
  std::vector<int64_t> start(static_cast<size_t>(rank), 0), step(start.size(), 1);
  ops::Pad pad{.mode = ops::PadMode::kConstant, .begin = start, .end = start, .value = 0};
  bool pads = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(axes[i], rank));
    const int64_t dim = shape[axis], wanted = target[i];
    if (wanted < 0) return node.invalid("shape has a negative entry");
    const auto at = static_cast<size_t>(axis);
    if (wanted <= dim) {
      start[at] = (dim - wanted) / 2;
      shape[axis] = wanted;
    } else {
      pad.begin[at] = (wanted - dim) / 2;
      pad.end[at] = wanted - dim - pad.begin[at];
      pads = true;
    }
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId cut, node.slice(x, start, step, shape));
  return pads ? node.finish(std::move(pad), {cut}) : node.set_output(0, cut);
}

// --- DepthToSpace, SpaceToDepth -------------------------------------------------------------------------------------

Result<int64_t> read_block(NodeContext& node, const Shape& shape) {
  NESTRT_ASSIGN_OR_RETURN(const int64_t block, node.required_int("blocksize"));
  if (shape.rank() != 4)
    return node.invalid(fmt::format("the input must have 4 dimensions, not {}", shape.to_string()));
  if (block < 1 || block > 32768) return node.invalid(fmt::format("blocksize {} is outside 1 to 32768", block));
  return block;
}

Status import_depth_to_space(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape s = node.shape(x);
  NESTRT_ASSIGN_OR_RETURN(const int64_t b, read_block(node, s));
  if (s[1] % (b * b) != 0)
    return node.invalid(fmt::format("{} channels are not a multiple of blocksize squared", s[1]));
  const std::string mode = node.attribute("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return node.invalid(fmt::format("mode '{}' is unknown", mode));
  const int64_t channels = s[1] / (b * b);
  const bool blocks_first = mode == "DCR";
  const Shape split = blocks_first ? Shape{s[0], b, b, channels, s[2], s[3]} : Shape{s[0], channels, b, b, s[2], s[3]};
  const std::vector<int> order = blocks_first ? std::vector<int>{0, 3, 4, 1, 5, 2} : std::vector<int>{0, 1, 4, 2, 5, 3};
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.reshape(x, split));
  NESTRT_ASSIGN_OR_RETURN(y, node.transpose(y, order));
  return node.set_output(node.reshape(y, {s[0], channels, s[2] * b, s[3] * b}));
}

Status import_space_to_depth(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape s = node.shape(x);
  NESTRT_ASSIGN_OR_RETURN(const int64_t b, read_block(node, s));
  if (s[2] % b != 0 || s[3] % b != 0) return node.invalid("height and width must be multiples of blocksize");
  const std::string mode = node.attribute("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return node.invalid(fmt::format("mode '{}' is unknown", mode));
  const std::vector<int> order =
      mode == "DCR" ? std::vector<int>{0, 3, 5, 1, 2, 4} : std::vector<int>{0, 1, 3, 5, 2, 4};
  NESTRT_ASSIGN_OR_RETURN(ValueId y, node.reshape(x, {s[0], s[1], s[2] / b, b, s[3] / b, b}));
  NESTRT_ASSIGN_OR_RETURN(y, node.transpose(y, order));
  return node.set_output(node.reshape(y, {s[0], s[1] * b * b, s[2] / b, s[3] / b}));
}

// Keeps the upper or lower triangle of the last two axes and sets the rest to zero. Selects with a constant mask.
Status import_trilu(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  if (shape.rank() < 2) return node.invalid("the input must be matrices");
  int64_t k = 0;
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, node.constant_ints(1, "k"));
    if (stated.size() != 1) return node.invalid("k must be one number");
    k = stated.front();
  }
  const bool upper = node.flag("upper", true);
  const int64_t rows = shape[shape.rank() - 2];
  const int64_t columns = shape[shape.rank() - 1];
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kBool, {rows, columns}));
  Bytes mask(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const bool keep = upper ? column - row >= k : column - row <= k;
      mask[static_cast<size_t>(row * columns + column)] = std::byte{keep};
    }
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId condition, node.constant(DataType::kBool, {rows, columns}, std::move(mask)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node.scalar_of(node.type(x), 0));
  return node.finish(ops::Select(), {condition, x, zero});
}

constexpr ImportRule kMovementRules[] = {
    {"CenterCropPad", import_center_crop_pad, 18},
    {"Compress", import_compress, 9},
    {"Concat", import_concat},
    {"DepthToSpace", import_depth_to_space},
    {"Expand", import_expand, 8},
    {"Gather", import_gather<ops::Gather>},
    {"GatherElements", import_gather<ops::GatherElements>, 11},
    {"Slice", import_slice_attributes, 6, 9},
    {"Slice", import_slice_inputs, 10},
    {"SpaceToDepth", import_space_to_depth},
    {"Split", import_split},
    {"Tile", import_tile},
    {"Transpose", import_transpose, 1},
    {"Trilu", import_trilu, 14},
};

}  // namespace

std::span<const ImportRule> movement_rules() { return kMovementRules; }

}  // namespace nestrt::compiler
