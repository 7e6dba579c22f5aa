// SPDX-License-Identifier: Apache-2.0
// Operators whose result depends only on shapes and constants.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "compiler-lite/import/onnx/onnx_types.h"
#include "compiler-lite/import/ops/families.h"

namespace nestrt::compiler {
namespace {

Status import_constant(NodeContext& node) {
  if (node.has_attribute("value")) {
    NESTRT_ASSIGN_OR_RETURN(const OnnxTensor tensor, node.tensor_attribute("value"));
    return node.set_output(node.constant(tensor));
  }
  if (node.has_attribute("value_float")) return node.set_output(node.scalar(node.attribute("value_float", 0.0f)));
  if (node.has_attribute("value_int")) {
    return node.set_output(node.constant(std::vector<int64_t>{node.attribute("value_int", int64_t{0})}, Shape()));
  }
  if (node.has_attribute("value_floats")) {
    const auto list = node.attribute("value_floats", std::vector<float>());
    return node.set_output(node.constant(list, {static_cast<int64_t>(list.size())}));
  }
  if (node.has_attribute("value_ints")) {
    const auto list = node.attribute("value_ints", std::vector<int64_t>());
    return node.set_output(node.constant(list, {static_cast<int64_t>(list.size())}));
  }
  return node.unsupported("only numeric constants are supported");
}

// Returns the dimensions [start, end) of the input, with both bounds clamped.
Status import_shape(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  const int64_t rank = shape.rank();
  const auto clamped = [rank](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank); };
  const int64_t first = clamped(node.attribute("start", int64_t{0}));
  const int64_t last = std::max(first, clamped(node.attribute("end", rank)));
  const std::vector<int64_t> dims(shape.begin() + first, shape.begin() + last);
  return node.set_output(node.constant(dims, {last - first}));
}

Status import_size(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  return node.set_output(node.constant(std::vector<int64_t>{node.shape(x).num_elements()}, Shape()));
}

Status import_constant_of_shape(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, node.constant_ints(0, "shape"));
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) {
    return node.unsupported(fmt::format("more than {} dimensions", Shape::kMaxRank));
  }
  const Shape shape{std::span(dims)};
  OnnxTensor value{"", DataType::kF32, {1}, std::make_shared<const Bytes>(4)};
  if (node.has_attribute("value")) {
    NESTRT_ASSIGN_OR_RETURN(value, node.tensor_attribute("value"));
  }
  NESTRT_RETURN_IF_ERROR(node.check_constant(value.type, shape));
  if (value.shape.num_elements() != 1) return node.invalid("value must have one element");
  const size_t width = size_bytes(value.type);
  Bytes elements(static_cast<size_t>(shape.num_elements()) * width);
  if (!elements.empty()) std::memcpy(elements.data(), value.elements->data(), width);
  for (size_t done = width; done < elements.size(); done *= 2) {
    std::memcpy(&elements[done], elements.data(), std::min(done, elements.size() - done));
  }
  return node.set_output(node.constant(value.type, shape, std::move(elements)));
}

// Returns start, start + delta, ... below limit.
template <typename T>
Result<ValueId> range(NodeContext& node, T start, T limit, T delta) {
  if (delta == 0) return node.invalid("delta must not be 0");
  const double steps =
      std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
  if (!(steps < 0x1p40)) return node.invalid("the range has too many elements");
  const auto count = static_cast<int64_t>(std::max(steps, 0.0));
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, {count}));
  std::vector<T> elements(static_cast<size_t>(count));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(start + static_cast<T>(i) * delta);
  return node.constant(elements, {count});
}

Status import_range(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs, node.all_inputs());
  if (inputs.size() != 3) return node.invalid("needs start, limit and delta");
  const DataType type = node.type(inputs[0]);
  if (type == DataType::kF32) {
    float bounds[3];
    for (size_t i = 0; i < 3; ++i) {
      NESTRT_ASSIGN_OR_RETURN(const std::vector<float> bound, node.constant_floats(i, "bound"));
      if (bound.size() != 1) return node.invalid("bounds must be scalars");
      bounds[i] = bound.front();
    }
    return node.set_output(range(node, bounds[0], bounds[1], bounds[2]));
  }
  int64_t bounds[3];
  for (size_t i = 0; i < 3; ++i) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> bound, node.constant_ints(i, "bound"));
    if (bound.size() != 1 || std::abs(static_cast<double>(bound.front())) > 0x1p61)
      return node.invalid("bounds must be scalars below 2^61");
    bounds[i] = bound.front();
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId result, range(node, bounds[0], bounds[1], bounds[2]));
  return node.set_output(node.cast(result, type));
}

Status import_eye_like(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  if (shape.rank() != 2) return node.invalid("the input must be a matrix");
  DataType type = node.type(x);
  if (node.has_attribute("dtype")) {
    const std::optional<DataType> stated = converted_type(static_cast<int32_t>(node.attribute("dtype", int64_t{0})));
    if (!stated) return node.unsupported("this dtype is not supported");
    type = *stated;
  }
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, shape));
  const int64_t diagonal = node.attribute("k", int64_t{0});
  std::vector<float> elements(static_cast<size_t>(shape.num_elements()));
  for (int64_t row = 0; row < shape[0]; ++row) {
    // Compares differences within the matrix, so no k overflows.
    for (int64_t column = 0; column < shape[1]; ++column) {
      if (column - row == diagonal) elements[static_cast<size_t>(row * shape[1] + column)] = 1.0f;
    }
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId eye, node.constant(elements, shape));
  return node.set_output(node.cast(eye, type));
}

// Imports a window of `size` points: the sum of factors[i] * cos(i * angle) for i = 0, 1, 2. ONNX defines the factors
// of Hamming windows as fractions.
Status import_window(NodeContext& node, const double (&factors)[3]) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, node.constant_ints(0, "size"));
  const int64_t type = node.attribute("output_datatype", int64_t{1});
  const bool periodic = node.flag("periodic", true);
  if (sizes.size() != 1 || sizes.front() < 0) return node.invalid("size must be one non-negative number");
  const std::optional<DataType> output =
      type >= 0 && type <= INT32_MAX ? converted_type(static_cast<int32_t>(type)) : std::nullopt;
  if (!output) return node.unsupported("this output_datatype is not supported");
  const int64_t size = sizes.front();
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, {size}));
  const double period = static_cast<double>(periodic ? size : std::max<int64_t>(size - 1, 1));
  std::vector<float> elements(static_cast<size_t>(size));
  for (size_t i = 0; i < elements.size(); ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / period;
    elements[i] = static_cast<float>(factors[0] + factors[1] * std::cos(angle) + factors[2] * std::cos(2 * angle));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId window, node.constant(elements, {size}));
  return node.set_output(node.cast(window, *output));
}

Status import_hann_window(NodeContext& node) { return import_window(node, {0.5, -0.5, 0}); }
Status import_hamming_window(NodeContext& node) { return import_window(node, {25.0 / 46, -21.0 / 46, 0}); }
Status import_blackman_window(NodeContext& node) { return import_window(node, {0.42, -0.5, 0.08}); }

// Returns booleans along a new axis of `depth` elements: true where the position equals the index. Negative indices
// count from the end.
Result<ValueId> hits(NodeContext& node, ValueId indices, int axis, int64_t depth) {
  const Shape shape = node.shape(indices);
  Shape with_axis, along_axis;
  for (int i = 0; i <= shape.rank(); ++i) {
    with_axis.push_back(i == axis ? 1 : shape[i < axis ? i : i - 1]);
    along_axis.push_back(i == axis ? depth : 1);
  }
  std::vector<int64_t> forward(static_cast<size_t>(depth)), backward(forward.size());
  std::iota(forward.begin(), forward.end(), int64_t{0});
  std::iota(backward.begin(), backward.end(), -depth);
  NESTRT_ASSIGN_OR_RETURN(indices, node.cast(indices, DataType::kS64));
  NESTRT_ASSIGN_OR_RETURN(indices, node.reshape(indices, with_axis));
  NESTRT_ASSIGN_OR_RETURN(const ValueId positions, node.constant(forward, along_axis));
  NESTRT_ASSIGN_OR_RETURN(const ValueId from_end, node.constant(backward, along_axis));
  NESTRT_ASSIGN_OR_RETURN(const ValueId hit, node.binary(ops::BinaryKind::kEqual, indices, positions));
  NESTRT_ASSIGN_OR_RETURN(const ValueId hit_from_end, node.binary(ops::BinaryKind::kEqual, indices, from_end));
  return node.binary(ops::BinaryKind::kLogicalOr, hit, hit_from_end);
}

Status import_one_hot(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.input(0));
  // depth may have any numeric type
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> depths, node.constant_floats(1, "depth"));
  NESTRT_ASSIGN_OR_RETURN(const ValueId values, node.input(2));
  if (depths.size() != 1 || !(depths[0] >= 1 && depths[0] < 0x1p40f) || node.shape(values) != Shape{2}) {
    return node.invalid("depth must be one positive number, and values must have two elements");
  }
  const auto depth = static_cast<int64_t>(depths.front());
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, {depth}));
  const int rank = node.shape(indices).rank();
  if (rank >= Shape::kMaxRank) return node.unsupported("too many dimensions");
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(node.attribute("axis", int64_t{-1}), rank + 1));
  NESTRT_ASSIGN_OR_RETURN(const ValueId where, hits(node, indices, axis, depth));
  NESTRT_ASSIGN_OR_RETURN(const ValueId off, node.slice(values, {0}, {1}, Shape{1}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId on, node.slice(values, {1}, {1}, Shape{1}));
  return node.finish(ops::Select(), {where, on, off});
}

// Imports NonZero. The shape of the result depends on the data, so the input must be a constant.
Status import_non_zero(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> elements, node.floats_of(x, "the input"));
  const Shape shape = node.shape(x);
  const auto is_hit = [](float element) { return element != 0; };
  const Shape result{std::max(shape.rank(), 1), std::count_if(elements.begin(), elements.end(), is_hit)};
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, result));
  std::vector<int64_t> positions;
  positions.reserve(static_cast<size_t>(result.num_elements()));
  for (int axis = 0; axis < result[0]; ++axis) {
    const int64_t stride = shape.rank() == 0 ? 1 : shape.product(axis + 1, shape.rank());
    const int64_t dim = shape.rank() == 0 ? 1 : shape[axis];
    for (size_t i = 0; i < elements.size(); ++i)
      if (is_hit(elements[i])) positions.push_back(static_cast<int64_t>(i) / stride % dim);
  }
  return node.set_output(node.constant(positions, result));
}

constexpr ImportRule kConstantsRules[] = {
    {"BlackmanWindow", import_blackman_window, 17},
    {"Constant", import_constant, 1},
    {"ConstantOfShape", import_constant_of_shape, 9},
    {"EyeLike", import_eye_like, 9},
    {"HammingWindow", import_hamming_window, 17},
    {"HannWindow", import_hann_window, 17},
    {"NonZero", import_non_zero, 9},
    {"OneHot", import_one_hot, 9},
    {"Range", import_range, 11},
    {"Shape", import_shape, 1},
    {"Size", import_size, 1},
};

}  // namespace

std::span<const ImportRule> constant_rules() { return kConstantsRules; }

}  // namespace nestrt::compiler
