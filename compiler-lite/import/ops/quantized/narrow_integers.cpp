// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/ops/quantized/narrow_integers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compiler-lite/import/onnx/narrow_types.h"
#include "compiler-lite/import/onnx/onnx_types.h"
#include "compiler-lite/import/ops/quantized/quant_range.h"

namespace nestrt::compiler {
namespace {

// The parameters of a block quantization, in the order of the node's inputs.
struct Blocks {
  std::vector<float> scales;
  std::vector<int64_t> zero_points;
  Shape shape;
};

// Reads the scales and zero points from inputs 1 and 2.
Result<Blocks> read_blocks(NodeContext& node, const Shape& x, int axis, int64_t block) {
  Blocks blocks;
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, node.input(1));
  blocks.shape = node.shape(scale);
  Shape expected = x;
  expected[axis] = (x[axis] + block - 1) / block;
  if (blocks.shape != expected)
    return node.invalid(fmt::format("scales have shape {}, but blocks of {} of shape {} require {}",
                                    blocks.shape.to_string(), block, x.to_string(), expected.to_string()));
  NESTRT_ASSIGN_OR_RETURN(blocks.scales, node.constant_floats(1, "the scale"));
  blocks.zero_points.assign(blocks.scales.size(), 0);
  if (node.has_input(2)) {
    if (node.shape(node.optional_input(2)) != expected) return node.invalid("scales and zero points differ in shape");
    NESTRT_ASSIGN_OR_RETURN(blocks.zero_points, node.constant_ints(2, "the zero point"));
  }
  for (const float entry : blocks.scales)
    if (!std::isfinite(entry)) return node.invalid("scales must be finite");
  return blocks;
}

// Returns an element of an s8, u8 or s32 constant.
int32_t element_of(const Value& value, size_t i) {
  if (value.type == DataType::kS8) return value.data<int8_t>()[i];
  if (value.type == DataType::kU8) return value.data<uint8_t>()[i];
  return value.data<int32_t>()[i];
}

Status check_integers(const NodeContext& node, ValueId x) {
  const DataType type = node.type(x);
  if (!node.value(x).is_constant()) return node.unsupported("scales by block are supported only for constants");
  if (type == DataType::kS8 || type == DataType::kU8 || type == DataType::kS32) return ok_status();
  return node.unsupported(fmt::format("input 0 has type {}, which cannot be dequantized by blocks", name(type)));
}

// Stores the parameters of the blocks with the constant matrix.
void remember_blocks(NodeContext& node, ValueId id, const Blocks& blocks, int axis, int64_t block) {
  auto source = std::make_shared<BlockQuantization>();
  source->axis = axis;
  source->block = block;
  source->shape = blocks.shape;
  source->scales = blocks.scales;
  source->zero_points.assign(blocks.zero_points.begin(), blocks.zero_points.end());
  node.set_source_blocks(id, std::move(source));
}

}  // namespace

StatedType stated_type(const Value& value) { return {value.type, value.stated_range}; }

std::optional<StatedType> stated_type(int32_t onnx_type) {
  if (const NarrowType* narrow = find_constant_type(onnx_type); narrow != nullptr && !narrow->is_float())
    return StatedType{narrow->type, IntegerRange{narrow->low(), narrow->high()}};
  const auto type = converted_type(onnx_type);
  if (type != DataType::kS8 && type != DataType::kU8) return std::nullopt;
  return StatedType{*type, {}};
}

Result<ValueId> quantize_to_range(NodeContext& node, ValueId x, const plan::Quantization& quantization,
                                  const StatedType& type) {
  const int rank = node.shape(x).rank();
  const auto numbers = [&](const std::vector<float>& list) {
    return broadcast_numbers(node, list, quantization.axis, rank);
  };
  std::vector<float> zeros(quantization.zero_points.begin(), quantization.zero_points.end());
  NESTRT_ASSIGN_OR_RETURN(const ValueId scale, numbers(quantization.scales));
  NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kDiv, x, scale));
  NESTRT_ASSIGN_OR_RETURN(x, node.unary(ops::UnaryKind::kRound, x));
  if (std::any_of(zeros.begin(), zeros.end(), [](float zero) { return zero != 0; })) {
    NESTRT_ASSIGN_OR_RETURN(const ValueId zero, numbers(zeros));
    NESTRT_ASSIGN_OR_RETURN(x, node.binary(ops::BinaryKind::kAdd, x, zero));
  }
  NESTRT_ASSIGN_OR_RETURN(x, node.unary(ops::UnaryKind::kClip, x, static_cast<float>(type.range->low),
                                        static_cast<float>(type.range->high)));
  return node.cast(x, type.type);
}

Result<ValueId> dequantized_blocks(NodeContext& node, int64_t block, int64_t stated_axis) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  const Shape shape = node.shape(x);
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated_axis, shape.rank()));
  if (block < 1) return node.invalid(fmt::format("block_size {} must be positive", block));
  block = std::min(block, std::max<int64_t>(shape[axis], 1));
  NESTRT_RETURN_IF_ERROR(check_integers(node, x));
  NESTRT_ASSIGN_OR_RETURN(const Blocks blocks, read_blocks(node, shape, axis, block));
  NESTRT_RETURN_IF_ERROR(node.check_constant(DataType::kF32, shape));
  std::vector<float> reals(static_cast<size_t>(shape.num_elements()));
  const int64_t inner = shape.product(axis + 1, shape.rank()), per_axis = shape[axis] * inner;
  for (size_t i = 0; i < reals.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t outer = at / per_axis, along = at % per_axis / inner / block;
    const auto entry = static_cast<size_t>((outer * blocks.shape[axis] + along) * inner + at % inner);
    const int64_t steps = element_of(node.value(x), i) - blocks.zero_points[entry];
    reals[i] = static_cast<float>(steps) * blocks.scales[entry];
  }
  NESTRT_ASSIGN_OR_RETURN(const ValueId id, node.constant(reals, shape));
  if (shape.rank() == 2) remember_blocks(node, id, blocks, axis, block);
  return id;
}

}  // namespace nestrt::compiler
