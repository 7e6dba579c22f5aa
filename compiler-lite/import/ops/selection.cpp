// SPDX-License-Identifier: Apache-2.0
// Operators that select or place elements depending on data.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "compiler-lite/import/node_context.h"
#include "compiler-lite/import/ops/families.h"
#include "nestrt/log.h"

namespace nestrt::compiler {
namespace {

using ops::BinaryKind;

// --- TopK, Hardmax --------------------------------------------------------------------------------------------------

Result<int64_t> top_count(NodeContext& node) {
  if (node.opset() < 10) return node.required_int("k");
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, node.constant_ints(1, "K"));
  if (counts.size() != 1) return node.invalid("K must be one number");
  return counts.front();
}

Status import_top_k(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  node.ignore("sorted");  // sorted results are also valid for sorted = 0
  ops::TopK top;
  NESTRT_ASSIGN_OR_RETURN(top.axis, node.axis(node.attribute("axis", int64_t{-1}), shape.rank()));
  NESTRT_ASSIGN_OR_RETURN(const int64_t count, top_count(node));
  if (count < 0 || count > std::min<int64_t>(shape[top.axis], INT32_MAX))
    return node.invalid(fmt::format("K is {}, expected 0 to {}", count, shape[top.axis]));
  top.count = static_cast<int32_t>(count);
  top.smallest = !node.flag("largest", true);
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.add(top, {x}));
  if (node.wants_output(0)) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId values, node.add(ops::GatherElements{.axis = top.axis}, {x, indices}));
    NESTRT_RETURN_IF_ERROR(node.set_output(0, values));
  }
  return node.set_output(1, indices);
}

// Imports Hardmax: 1 for the largest element (the first on a tie) and 0 elsewhere.
Result<ValueId> hardmax(NodeContext& node, ValueId x, int axis) {
  const Shape shape = node.shape(x);
  ops::ArgReduce largest;
  largest.axis = axis;
  NESTRT_ASSIGN_OR_RETURN(const ValueId at, node.add(largest, {x}));
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, {shape[axis]}));
  std::vector<int64_t> positions(static_cast<size_t>(shape[axis]));
  std::iota(positions.begin(), positions.end(), int64_t{0});
  Shape along;
  for (int i = 0; i < shape.rank(); ++i) along.push_back(i == axis ? shape[axis] : 1);
  NESTRT_ASSIGN_OR_RETURN(const ValueId position, node.constant(positions, along));
  NESTRT_ASSIGN_OR_RETURN(const ValueId hit, node.binary(BinaryKind::kEqual, position, at));
  return node.cast(hit, node.type(x));
}

Status import_hardmax(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  const int rank = shape.rank();
  const bool flattens = node.opset() < 13;
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(node.attribute("axis", int64_t{flattens ? 1 : -1}), rank));
  if (!flattens) return node.set_output(hardmax(node, x, axis));
  NESTRT_ASSIGN_OR_RETURN(const ValueId flat, node.reshape(x, {shape.product(0, axis), shape.product(axis, rank)}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId result, hardmax(node, flat, 1));
  return node.set_output(node.reshape(result, shape));
}

// --- Indices --------------------------------------------------------------------------------------------------------

// Returns `indices` of an axis as numbers from 0 to dim - 1. Rejects constants outside the axis; clamps other indices
// at run time.
Result<ValueId> counted(NodeContext& node, ValueId indices, int64_t dim) {
  if (node.type(indices) != DataType::kS32 && node.type(indices) != DataType::kS64)
    return node.invalid("indices must be s32 or s64");
  if (node.value(indices).is_constant()) {
    const auto [min, max] = node.extremes(indices);
    if (min <= max && (min < -dim || max >= dim))
      return node.invalid(fmt::format("index {} is outside an axis of {}", min < -dim ? min : max, dim));
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId index, node.cast(indices, DataType::kS64));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node.scalar_of(DataType::kS64, 0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId length, node.scalar_of(DataType::kS64, static_cast<double>(dim)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId last, node.scalar_of(DataType::kS64, static_cast<double>(dim - 1)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId is_negative, node.binary(BinaryKind::kLess, index, zero));
  NESTRT_ASSIGN_OR_RETURN(const ValueId from_end, node.binary(BinaryKind::kAdd, index, length));
  NESTRT_ASSIGN_OR_RETURN(ValueId result, node.add(ops::Select(), {is_negative, from_end, index}));
  NESTRT_ASSIGN_OR_RETURN(result, node.binary(BinaryKind::kMax, result, zero));
  return node.binary(BinaryKind::kMin, result, last);
}

Result<ValueId> times(NodeContext& node, ValueId x, int64_t factor) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId by, node.scalar_of(DataType::kS64, static_cast<double>(factor)));
  return node.binary(BinaryKind::kMul, x, by);
}

// Converts tuples of indices along the last axis, [lists, count, depth], into row numbers, [lists, count]. Each tuple
// indexes `depth` axes of `shape` from `first` on; a row spans the remaining axes.
Result<ValueId> row_numbers(NodeContext& node, ValueId tuples, const Shape& shape, int first) {
  const Shape lists = node.shape(tuples);
  ValueId sum = kNoValue;
  int64_t stride = 1;
  for (int i = static_cast<int>(lists[2]) - 1; i >= 0; --i) {
    NESTRT_ASSIGN_OR_RETURN(ValueId own, node.slice(tuples, {0, 0, i}, {1, 1, 1}, {lists[0], lists[1], 1}));
    NESTRT_ASSIGN_OR_RETURN(own, node.reshape(own, {lists[0], lists[1]}));
    NESTRT_ASSIGN_OR_RETURN(own, counted(node, own, shape[first + i]));
    NESTRT_ASSIGN_OR_RETURN(own, times(node, own, stride));
    stride *= shape[first + i];
    if (sum != kNoValue) {
      NESTRT_ASSIGN_OR_RETURN(own, node.binary(BinaryKind::kAdd, own, sum));
    }
    sum = own;
  }
  return sum;
}

struct Tuples {
  Shape shape;        // shape of the indices
  int64_t depth = 0;  // number of axes of the data that a tuple indexes
};

Result<Tuples> read_tuples(const NodeContext& node, ValueId data, ValueId indices, int batch_axes) {
  Tuples tuples{node.shape(indices), 0};
  const Shape shape = node.shape(data);
  const int rank = tuples.shape.rank();
  if (rank < 1 || batch_axes < 0 || batch_axes >= std::min(rank, shape.rank()))
    return node.invalid("indices must have an axis of tuples after the batch axes");
  tuples.depth = tuples.shape[rank - 1];
  bool fits = tuples.depth >= 1 && tuples.depth <= shape.rank() - batch_axes;
  for (int axis = 0; fits && axis < batch_axes; ++axis) fits = shape[axis] == tuples.shape[axis];
  if (fits && shape.num_elements() > 0) return tuples;
  return node.invalid(
      fmt::format("indices of shape {} do not fit data of shape {}", tuples.shape.to_string(), shape.to_string()));
}

Status import_gather_nd(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId data, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.input(1));
  const Shape shape = node.shape(data);
  const int64_t stated = node.attribute("batch_dims", int64_t{0});
  if (stated < 0 || stated >= Shape::kMaxRank) return node.invalid("batch_dims is outside the data");
  const auto batch_axes = static_cast<int>(stated);
  NESTRT_ASSIGN_OR_RETURN(const Tuples tuples, read_tuples(node, data, indices, batch_axes));
  const int rank = tuples.shape.rank(), rest = batch_axes + static_cast<int>(tuples.depth);
  const int64_t batch = shape.product(0, batch_axes), count = tuples.shape.product(batch_axes, rank - 1);
  const int64_t rows = shape.product(batch_axes, rest);
  NESTRT_ASSIGN_OR_RETURN(const ValueId lists, node.reshape(indices, {batch, count, tuples.depth}));
  NESTRT_ASSIGN_OR_RETURN(ValueId numbers, row_numbers(node, lists, shape, batch_axes));
  if (batch > 1) {
    NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, {batch}));
    std::vector<int64_t> offsets(static_cast<size_t>(batch));
    for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<int64_t>(i) * rows;
    NESTRT_ASSIGN_OR_RETURN(const ValueId offset, node.constant(offsets, {batch, 1}));
    NESTRT_ASSIGN_OR_RETURN(numbers, node.binary(BinaryKind::kAdd, numbers, offset));
  }
  NESTRT_ASSIGN_OR_RETURN(numbers, node.reshape(numbers, {batch * count}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId table, node.reshape(data, {batch * rows, shape.product(rest, shape.rank())}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId picked, node.add(ops::Gather(), {table, numbers}));
  if (rank - 1 + shape.rank() - rest > Shape::kMaxRank) return node.unsupported("too many dimensions");
  Shape result;
  for (int axis = 0; axis < rank - 1; ++axis) result.push_back(tuples.shape[axis]);
  for (int axis = rest; axis < shape.rank(); ++axis) result.push_back(shape[axis]);
  return node.set_output(node.reshape(picked, result));
}

// --- Scatter --------------------------------------------------------------------------------------------------------

Result<ops::Scatter> read_scatter(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ops::ScatterKind kind, node.keyword("reduction", kScatterReductions, "none"));
  return ops::Scatter{kind};
}

Status import_scatter_nd(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId data, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(ValueId updates, node.input(2));
  NESTRT_ASSIGN_OR_RETURN(const ops::Scatter scatter, read_scatter(node));
  NESTRT_ASSIGN_OR_RETURN(const Tuples tuples, read_tuples(node, data, indices, 0));
  const Shape shape = node.shape(data);
  const int rank = tuples.shape.rank(), depth = static_cast<int>(tuples.depth);
  const int64_t count = tuples.shape.product(0, rank - 1), length = shape.product(depth, shape.rank());
  if (node.shape(updates).num_elements() != count * length) return node.invalid("updates have the wrong shape");
  NESTRT_ASSIGN_OR_RETURN(const ValueId lists, node.reshape(indices, {1, count, tuples.depth}));
  NESTRT_ASSIGN_OR_RETURN(ValueId numbers, row_numbers(node, lists, shape, 0));
  NESTRT_ASSIGN_OR_RETURN(numbers, node.reshape(numbers, {count}));
  NESTRT_ASSIGN_OR_RETURN(updates, node.reshape(updates, {count, length}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId table, node.reshape(data, {shape.product(0, depth), length}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId result, node.add(scatter, {table, numbers, updates}));
  return node.set_output(node.reshape(result, shape));
}

// Returns, for each entry of `indices`, the part of its flat index into `data` that its position determines (all axes
// except `axis`).
Result<ValueId> positions_of(NodeContext& node, const Shape& indices, const Shape& data, int axis) {
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, indices));
  std::vector<int64_t> numbers(static_cast<size_t>(indices.num_elements()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    auto left = static_cast<int64_t>(i);
    int64_t stride = 1;
    for (int own = indices.rank() - 1; own >= 0; --own) {
      if (own != axis) numbers[i] += left % indices[own] * stride;
      left /= indices[own];
      stride *= data[own];
    }
  }
  return node.constant(numbers, indices);
}

Status import_scatter_elements(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId data, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(ValueId updates, node.input(2));
  NESTRT_ASSIGN_OR_RETURN(const ops::Scatter scatter, read_scatter(node));
  const Shape shape = node.shape(data), own = node.shape(indices);
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(node.attribute("axis", int64_t{0}), shape.rank()));
  bool fits = own.rank() == shape.rank() && node.shape(updates) == own && shape.num_elements() > 0;
  for (int i = 0; fits && i < own.rank(); ++i) fits = i == axis || own[i] <= shape[i];
  if (!fits)
    return node.invalid(fmt::format("indices {} and updates {} do not fit data {}", own.to_string(),
                                    node.shape(updates).to_string(), shape.to_string()));
  if (own.num_elements() == 0) return node.set_output(0, data);
  NESTRT_ASSIGN_OR_RETURN(ValueId numbers, counted(node, indices, shape[axis]));
  NESTRT_ASSIGN_OR_RETURN(numbers, times(node, numbers, shape.product(axis + 1, shape.rank())));
  NESTRT_ASSIGN_OR_RETURN(const ValueId positions, positions_of(node, own, shape, axis));
  NESTRT_ASSIGN_OR_RETURN(numbers, node.binary(BinaryKind::kAdd, numbers, positions));
  const Shape flat{own.num_elements()};
  NESTRT_ASSIGN_OR_RETURN(numbers, node.reshape(numbers, flat));
  NESTRT_ASSIGN_OR_RETURN(updates, node.reshape(updates, flat));
  NESTRT_ASSIGN_OR_RETURN(const ValueId table, node.reshape(data, {shape.num_elements()}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId result, node.add(scatter, {table, numbers, updates}));
  return node.set_output(node.reshape(result, shape));
}

// --- TensorScatter --------------------------------------------------------------------------------------------------

// Returns, for each position along the axis, its distance from the start of the update of its sequence. s64; axis 0 is
// the sequence.
Result<ValueId> distances(NodeContext& node, const Shape& shape, int axis, bool is_circular) {
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kS64, {shape[axis]}));
  std::vector<int64_t> positions(static_cast<size_t>(shape[axis]));
  std::iota(positions.begin(), positions.end(), int64_t{0});
  Shape along, by_sequence;
  for (int i = 0; i < shape.rank(); ++i) {
    along.push_back(i == axis ? shape[axis] : 1);
    by_sequence.push_back(i == 0 ? shape[0] : 1);
  }
  NESTRT_ASSIGN_OR_RETURN(ValueId distance, node.constant(positions, along));
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(ValueId first, node.cast(node.optional_input(2), DataType::kS64));
    if (node.shape(first) != Shape{shape[0]}) return node.invalid("write_indices must have one entry per sequence");
    NESTRT_ASSIGN_OR_RETURN(first, node.reshape(first, by_sequence));
    NESTRT_ASSIGN_OR_RETURN(distance, node.binary(BinaryKind::kSub, distance, first));
  }
  if (!is_circular) return distance;
  NESTRT_ASSIGN_OR_RETURN(const ValueId length, node.scalar_of(DataType::kS64, static_cast<double>(shape[axis])));
  return node.binary(BinaryKind::kMod, distance, length);
}

// Imports TensorScatter: writes an update into a cache along an axis, starting at write_indices[sequence].
Status import_tensor_scatter(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId cache, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId update, node.input(1));
  const Shape shape = node.shape(cache);
  Shape expected = shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(node.attribute("axis", int64_t{-2}), shape.rank()));
  const int64_t count = node.shape(update).rank() == shape.rank() ? node.shape(update)[axis] : -1;
  expected[axis] = count;
  if (axis == 0 || node.shape(update) != expected || count < 1 || count > shape[axis])
    return node.invalid(
        fmt::format("update {} does not fit cache {}", node.shape(update).to_string(), shape.to_string()));
  const std::string mode = node.attribute("mode", "linear");
  if (mode != "linear" && mode != "circular") return node.invalid(fmt::format("mode '{}' is unknown", mode));
  NESTRT_ASSIGN_OR_RETURN(const ValueId distance, distances(node, shape, axis, mode == "circular"));
  NESTRT_ASSIGN_OR_RETURN(const ValueId zero, node.scalar_of(DataType::kS64, 0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId last, node.scalar_of(DataType::kS64, static_cast<double>(count - 1)));
  NESTRT_ASSIGN_OR_RETURN(const ValueId begun, node.binary(BinaryKind::kGreaterOrEqual, distance, zero));
  NESTRT_ASSIGN_OR_RETURN(const ValueId goes_on, node.binary(BinaryKind::kLessOrEqual, distance, last));
  NESTRT_ASSIGN_OR_RETURN(const ValueId is_within, node.binary(BinaryKind::kLogicalAnd, begun, goes_on));
  NESTRT_ASSIGN_OR_RETURN(ValueId at, node.binary(BinaryKind::kMax, distance, zero));
  NESTRT_ASSIGN_OR_RETURN(at, node.binary(BinaryKind::kMin, at, last));
  NESTRT_ASSIGN_OR_RETURN(at, node.add(ops::Tile{.shape = {shape.begin(), shape.end()}}, {at}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId written, node.add(ops::GatherElements{.axis = axis}, {update, at}));
  return node.finish(ops::Select(), {is_within, written, cache});
}

// --- NonMaxSuppression ----------------------------------------------------------------------------------------------

// Drops the first row that contains -1 and all following rows. Requires: constant rows.
Result<ValueId> chosen_rows(NodeContext& node, ValueId rows) {
  const Value& value = node.value(rows);
  int64_t count = 0;
  while (count < value.shape[0] && value.data<int64_t>()[3 * count] >= 0) ++count;
  return node.slice(rows, {0, 0}, {1, 1}, {count, 3});
}

// Imports NonMaxSuppression. The number of selected boxes depends on the data. If all inputs are constant, the result
// is exact. As the last node of a network, the operator returns the maximum number of rows and fills the rows after the
// last box with -1.
Status import_non_max_suppression(NodeContext& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId boxes, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId scores, node.input(1));
  ops::NonMaxSuppression op;
  op.centered = node.flag("center_point_box", false);
  if (node.has_input(2)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> count, node.constant_ints(2, "max_output_boxes_per_class"));
    op.count = count.empty() ? 0 : static_cast<int32_t>(std::clamp<int64_t>(count.front(), 0, INT32_MAX));
  }
  if (node.has_input(3)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<float> threshold, node.constant_floats(3, "iou_threshold"));
    op.iou_threshold = threshold.empty() ? 0 : threshold.front();
  }
  if (node.has_input(4)) {
    NESTRT_ASSIGN_OR_RETURN(const std::vector<float> threshold, node.constant_floats(4, "score_threshold"));
    op.scored = !threshold.empty();
    if (op.scored) op.score_threshold = threshold.front();
  }
  const bool known = node.value(boxes).is_constant() && node.value(scores).is_constant();
  if (!known && !node.is_last(0))
    return node.unsupported(
        "the number of selected boxes depends on the data, but shapes in a plan are static; end the network with this "
        "node or before it");
  NESTRT_ASSIGN_OR_RETURN(const ValueId rows, node.add(op, {boxes, scores}));
  if (node.value(rows).is_constant()) return node.set_output(chosen_rows(node, rows));
  log(LogLevel::kWarning, fmt::format("{}: the output always has {} rows; rows after the last box are -1",
                                      node.op_type(), node.shape(rows)[0]));
  return node.set_output(0, rows);
}

constexpr ImportRule kSelectionRules[] = {
    {"GatherND", import_gather_nd, 11},
    {"Hardmax", import_hardmax, 1},
    {"NonMaxSuppression", import_non_max_suppression, 10},
    {"Scatter", import_scatter_elements, 9, 10},
    {"ScatterElements", import_scatter_elements, 11},
    {"ScatterND", import_scatter_nd, 11},
    {"TensorScatter", import_tensor_scatter, 24},
    {"TopK", import_top_k, 1},
};

}  // namespace

std::span<const ImportRule> selection_rules() { return kSelectionRules; }

}  // namespace nestrt::compiler
