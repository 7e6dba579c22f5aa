// SPDX-License-Identifier: Apache-2.0
// Operators that change only dimensions, and constants computed from shapes.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compiler-lite/import/tflite/lite_table.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kReshape = 17, kSqueeze = 30, kPack = 59, kUnpack = 64;

// Returns true if a reshape is also valid in the form kChannelsFirst: batch and channels stay the outermost and
// innermost dimensions.
bool keeps_channels(const Shape& from, const Shape& to) {
  return from.rank() >= 3 && to.rank() >= 3 && from[0] == to[0] && from[from.rank() - 1] == to[to.rank() - 1];
}

Shape in_channels_first(const Shape& shape) {
  Shape result = shape;
  for (int axis = 0; axis < shape.rank(); ++axis)
    result[axis_in_form(axis, shape.rank(), Form::kChannelsFirst)] = shape[axis];
  return result;
}

// Defines the output as input 0 with another shape.
Status finish_reshape(LiteNode& node, const Shape& to) {
  NESTRT_ASSIGN_OR_RETURN(const Shape from, node.input_shape(0));
  if (to.num_elements() != from.num_elements())
    return node.invalid(fmt::format("shape {} cannot become {}", from.to_string(), to.to_string()));
  const int32_t source = node.input_tensor(0);
  if (node.graph().is_channels_first(source) && keeps_channels(from, to)) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0, Form::kChannelsFirst));
    return node.finish(node.reshape(x, in_channels_first(to)), Form::kChannelsFirst);
  }
  const bool flattens = node.graph().is_channels_first(source) && to.rank() == 2 && from[0] == to[0];
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_RETURN_IF_ERROR(node.finish(node.reshape(x, to)));
  if (flattens) node.graph().set_flattened_from(node.output_tensor(0), source);
  return ok_status();
}

// Replaces a dimension of -1 with the size that it represents.
Result<Shape> resolved(const LiteNode& node, const std::vector<int64_t>& stated, int64_t count) {
  if (stated.size() > static_cast<size_t>(Shape::kMaxRank))
    return node.unsupported(
        fmt::format("rank {} is too high; at most {} is supported", stated.size(), Shape::kMaxRank));
  Shape shape;
  int open = -1;
  int64_t known = 1;
  for (size_t i = 0; i < stated.size(); ++i) {
    const int64_t dim = stated[i];
    if (dim < -1 || dim > INT32_MAX || (dim == -1 && open >= 0)) return node.invalid("the new shape is not valid");
    if (dim == -1) open = static_cast<int>(i);
    if (dim != -1 && __builtin_mul_overflow(known, dim, &known)) return node.invalid("the new shape is too large");
    shape.push_back(dim == -1 ? 1 : dim);
  }
  if (open >= 0) {
    if (known == 0 || count % known != 0)
      return node.invalid(fmt::format("{} elements do not fit the new shape", count));
    shape[open] = count / known;
  }
  return shape;
}

Status import_reshape(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape from, node.input_shape(0));
  std::vector<int64_t> stated;
  if (node.has_input(1)) {
    NESTRT_ASSIGN_OR_RETURN(stated, node.ints(1, "the new shape"));
  } else {
    const auto list = lite_list(node.options<tflite::ReshapeOptions>().new_shape());
    stated.assign(list.begin(), list.end());
  }
  NESTRT_ASSIGN_OR_RETURN(const Shape to, resolved(node, stated, from.num_elements()));
  return finish_reshape(node, to);
}

Status import_squeeze(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape from, node.input_shape(0));
  std::vector<bool> drops(static_cast<size_t>(from.rank()), false);
  const auto stated = lite_list(node.options<tflite::SqueezeOptions>().squeeze_dims());
  for (const int32_t entry : stated) {
    NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(entry, from.rank()));
    if (from[axis] != 1) return node.invalid(fmt::format("axis {} of {} is not 1", entry, from.to_string()));
    drops[static_cast<size_t>(axis)] = true;
  }
  Shape to;
  for (int axis = 0; axis < from.rank(); ++axis)
    if (stated.empty() ? from[axis] != 1 : !drops[static_cast<size_t>(axis)]) to.push_back(from[axis]);
  return finish_reshape(node, to);
}

// Returns `shape` with an axis of 1 inserted before `axis`. A negative `axis` counts from the end of the result.
Result<Shape> expanded(const LiteNode& node, const Shape& shape, int64_t stated) {
  if (shape.rank() == Shape::kMaxRank)
    return node.unsupported(fmt::format("results of more than {} dimensions are not supported", Shape::kMaxRank));
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated, shape.rank() + 1));
  Shape result;
  for (int i = 0; i <= shape.rank(); ++i) result.push_back(i == axis ? 1 : shape[i < axis ? i : i - 1]);
  return result;
}

Status import_expand_dims(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape from, node.input_shape(0));
  NESTRT_ASSIGN_OR_RETURN(const int64_t axis, node.one_int(1, "the axis"));
  NESTRT_ASSIGN_OR_RETURN(const Shape to, expanded(node, from, axis));
  return finish_reshape(node, to);
}

Status import_pack(LiteNode& node) {
  const int64_t stated = node.options<tflite::PackOptions>().axis();
  std::vector<ValueId> parts;
  int axis = 0;
  for (const size_t i : node.all_inputs()) {
    if (!node.has_input(i)) return node.invalid(fmt::format("input {} is missing", i));
    NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(i));
    NESTRT_ASSIGN_OR_RETURN(axis, node.axis(stated, node.shape(x).rank() + 1));
    NESTRT_ASSIGN_OR_RETURN(const Shape shape, expanded(node, node.shape(x), stated));
    NESTRT_ASSIGN_OR_RETURN(const ValueId part, node.reshape(x, shape));
    parts.push_back(part);
  }
  return node.finish(node.add(ops::Concat{.axis = axis}, std::move(parts)));
}

Status import_unpack(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape from = node.shape(x);
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(node.options<tflite::UnpackOptions>().axis(), from.rank()));
  if (static_cast<int64_t>(node.num_outputs()) != from[axis])
    return node.invalid(fmt::format("has {} outputs for {} elements", node.num_outputs(), from[axis]));
  Shape part = from, to;
  part[axis] = 1;
  for (int i = 0; i < from.rank(); ++i)
    if (i != axis) to.push_back(from[i]);
  std::vector<int64_t> start(static_cast<size_t>(from.rank()), 0);
  const std::vector<int64_t> step(start.size(), 1);
  for (size_t i = 0; i < node.num_outputs(); ++i) {
    start[static_cast<size_t>(axis)] = static_cast<int64_t>(i);
    NESTRT_ASSIGN_OR_RETURN(const ValueId slice, node.slice(x, start, step, part));
    NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.reshape(slice, to));
    NESTRT_RETURN_IF_ERROR(node.set(i, y));
  }
  return ok_status();
}

// --- Constants ------------------------------------------------------------------------------------------------------

// Returns integers of the output's type.
Result<ValueId> integer_constant(LiteNode& node, const std::vector<int64_t>& elements, const Shape& shape) {
  NESTRT_ASSIGN_OR_RETURN(const DataType type, node.graph().type(node.output_tensor(0)));
  if (type == DataType::kS64) return node.constant(type, shape, to_bytes(elements));
  return node.constant(DataType::kS32, shape, to_bytes(std::vector<int32_t>(elements.begin(), elements.end())));
}

Status import_shape(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, node.input_shape(0));
  return node.finish(integer_constant(node, dims_of(shape), {shape.rank()}));
}

Status import_rank(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, node.input_shape(0));
  return node.finish(integer_constant(node, {shape.rank()}, {}));
}

Result<Shape> checked_dims(const LiteNode& node, const std::vector<int64_t>& dims, DataType type) {
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, resolved(node, dims, 0));
  if (std::ranges::find(dims, -1) != dims.end()) return node.invalid("a dimension is -1");
  NESTRT_RETURN_IF_ERROR(node.check_constant(type, shape));
  return shape;
}

Status import_fill(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, node.ints(0, "the dimensions"));
  NESTRT_ASSIGN_OR_RETURN(const ValueId element, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_dims(node, dims, node.value(element).type));
  return node.finish(node.add(ops::Tile{.shape = dims_of(shape)}, {element}));
}

Status import_zeros_like(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  const DataType type = node.value(x).type;
  NESTRT_RETURN_IF_ERROR(node.check_constant(type, shape));
  return node.finish(node.constant(type, shape, Bytes(static_cast<size_t>(shape.num_elements()) * size_bytes(type))));
}

Status import_broadcast_to(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, node.ints(1, "the dimensions"));
  return node.finish(node.add(ops::Tile{.shape = dims}, {x}));
}

Status import_tile(LiteNode& node) {
  const Form form = node.common_form({0});
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0, form));
  NESTRT_ASSIGN_OR_RETURN(std::vector<int64_t> dims, node.ints(1, "the multiples"));
  const Shape shape = node.shape(x);
  if (dims.size() != static_cast<size_t>(shape.rank())) return node.invalid("expected one multiple per axis");
  dims = in_form(dims, form);
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] < 0 || __builtin_mul_overflow(dims[i], shape[static_cast<int>(i)], &dims[i]))
      return node.invalid("a multiple is out of range");
  return node.finish(node.add(ops::Tile{.shape = dims}, {x}), form);
}

Status import_range(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> start, node.floats(0, "the start"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> limit, node.floats(1, "the limit"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> delta, node.floats(2, "the step"));
  if (start.size() != 1 || limit.size() != 1 || delta.size() != 1) return node.invalid("expected three numbers");
  const double count = std::ceil((double{limit[0]} - start[0]) / delta[0]);
  constexpr double kMaxCount = 1 << 24;  // floats represent every integer up to this one
  if (!(count <= kMaxCount)) return node.invalid("the range is too long");
  const Shape shape{std::max<int64_t>(static_cast<int64_t>(count), 0)};
  NESTRT_ASSIGN_OR_RETURN(const DataType type, node.graph().type(node.output_tensor(0)));
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, shape));
  std::vector<float> elements;
  for (int64_t i = 0; i < shape[0]; ++i) elements.push_back(start[0] + static_cast<float>(i) * delta[0]);
  if (type == DataType::kF32) return node.finish(node.constant(type, shape, to_bytes(elements)));
  return node.finish(integer_constant(node, std::vector<int64_t>(elements.begin(), elements.end()), shape));
}

constexpr LiteRule kLiteShapeRules[] = {
    lite_rule(LiteOp::BROADCAST_TO, 2, import_broadcast_to),
    lite_rule(LiteOp::EXPAND_DIMS, 2, import_expand_dims),
    lite_rule(LiteOp::FILL, 2, import_fill),
    lite_rule<tflite::PackOptions>(LiteOp::PACK, 1, import_pack, kPack),
    lite_rule(LiteOp::RANGE, 3, import_range),
    lite_rule(LiteOp::RANK, 1, import_rank),
    lite_rule<tflite::ReshapeOptions>(LiteOp::RESHAPE, 1, import_reshape, kReshape),
    lite_rule(LiteOp::SHAPE, 1, import_shape),
    lite_rule<tflite::SqueezeOptions>(LiteOp::SQUEEZE, 1, import_squeeze, kSqueeze),
    lite_rule(LiteOp::TILE, 2, import_tile),
    lite_rule<tflite::UnpackOptions>(LiteOp::UNPACK, 1, import_unpack, kUnpack),
    lite_rule(LiteOp::ZEROS_LIKE, 1, import_zeros_like),
};

}  // namespace

std::span<const LiteRule> lite_shape_rules() { return kLiteShapeRules; }

}  // namespace nestrt::compiler
