// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernel/packing.h"

#include <iterator>

namespace nestrt {
namespace {

constexpr bool has_rows_in_order() {
  for (size_t i = 0; i < std::size(kPackings); ++i)
    if (kPackings[i].packing != static_cast<Packing>(i)) return false;
  return true;
}
static_assert(has_rows_in_order());

bool exists(Packing packing) { return static_cast<size_t>(packing) < std::size(kPackings); }

bool applies(const PackingRow& row, const Shape& shape) {
  switch (row.form) {
    case PackedForm::kAny:
      return false;
    case PackedForm::kMatrix:
      return shape.rank() == 2;
    case PackedForm::kDepthwise:
      return shape.rank() >= 3 && shape[1] == 1;
    case PackedForm::kConvolution:
    case PackedForm::kStem:
      return shape.rank() >= 3;
    case PackedForm::kWinograd:
      return shape.rank() == 4 && shape[2] == 3 && shape[3] == 3;
  }
  return false;
}

bool round_up(int64_t* extent, int64_t multiple) {
  if (*extent < 0 || __builtin_add_overflow(*extent, multiple - 1, extent)) return false;
  *extent = *extent / multiple * multiple;
  return true;
}

// Computes the number of weights per output: all channels at all positions, including padding.
bool weights_per_output(const PackingRow& row, const Shape& shape, int64_t* weights) {
  const int outputs = row.form == PackedForm::kMatrix ? 1 : 0, inputs = 1 - outputs;
  const int64_t multiple = row.whole_blocks ? row.channel_block : 1;
  if (row.form == PackedForm::kWinograd)
    return !__builtin_mul_overflow(shape[1], row.positions * row.channel_group, weights);
  *weights = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t extent = shape[axis];
    if (axis == outputs) continue;
    if (!round_up(&extent, axis == inputs && row.form != PackedForm::kStem ? multiple : 1)) return false;
    if (__builtin_mul_overflow(*weights, extent, weights)) return false;
  }
  return row.form != PackedForm::kStem || round_up(weights, multiple);
}

}  // namespace

std::string_view name(Packing packing) { return exists(packing) ? row_of(packing).name : std::string_view(); }

DataType packed_type(Packing packing) { return row_of(packing).type; }

std::optional<int64_t> packed_size_bytes(Packing packing, const Shape& shape) {
  if (!exists(packing) || !applies(row_of(packing), shape)) return std::nullopt;
  const PackingRow& row = row_of(packing);
  int64_t weights = 0, bytes = shape[row.form == PackedForm::kMatrix ? 1 : 0];
  if (!weights_per_output(row, shape, &weights)) return std::nullopt;
  if (!round_up(&bytes, kPackedOutputs) || __builtin_mul_overflow(bytes, weights, &bytes)) return std::nullopt;
  if (__builtin_mul_overflow(bytes, static_cast<int64_t>(size_bytes(row.type)), &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace nestrt
