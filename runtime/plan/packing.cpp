// The table of packings: a row says all that the runtime knows of one.
#include "nestrt/packing.h"

#include <algorithm>
#include <iterator>

namespace nestrt {
namespace {

constexpr int64_t kBlock = 16;

// Of a matrix, or a convolution with or without inputs of its own for each output.
enum class Form : uint8_t { kConvolution, kDepthwise, kMatrix };

struct PackingRow {
  Packing packing;
  std::string_view name;
  DataType type;
  Form form;
  int64_t input_multiple;      // to which the extent of the inputs is rounded up
  int64_t reduction_multiple;  // to which the elements of an output are, all axes together
};

constexpr PackingRow kRows[] = {
    {Packing::kO16i16, "o16i16", DataType::kF32, Form::kConvolution, 1, 1},
    {Packing::kStem16, "stem16", DataType::kF32, Form::kConvolution, 1, 1},
    {Packing::kDepthwise16, "depthwise16", DataType::kF32, Form::kDepthwise, 1, 1},
    {Packing::kPanel16, "panel16", DataType::kF32, Form::kMatrix, 1, 1},
    {Packing::kS8O16i4, "s8_o16i4", DataType::kS8, Form::kConvolution, kBlock, 1},
    {Packing::kS8Depthwise16, "s8_depthwise16", DataType::kS8, Form::kDepthwise, 1, 1},
    {Packing::kS8Stem, "s8_stem", DataType::kS8, Form::kConvolution, 1, 8},
    {Packing::kS8Panel, "s8_panel", DataType::kS8, Form::kMatrix, kBlock, 1},
};

const PackingRow* find(Packing packing) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const PackingRow& entry) { return entry.packing == packing; });
  return row == std::end(kRows) ? nullptr : row;
}

bool applies(const PackingRow& row, const Shape& shape) {
  if (row.form == Form::kMatrix) return shape.rank() == 2;
  return shape.rank() >= 3 && (row.form == Form::kConvolution || shape[1] == 1);
}

bool round_up(int64_t* extent, int64_t multiple) {
  if (*extent < 0 || __builtin_add_overflow(*extent, multiple - 1, extent)) return false;
  *extent = *extent / multiple * multiple;
  return true;
}

}  // namespace

std::string_view name(Packing packing) {
  if (packing == Packing::kNone) return "none";
  const PackingRow* const row = find(packing);
  return row == nullptr ? std::string_view() : row->name;
}

DataType packed_type(Packing packing) { return find(packing)->type; }

std::optional<int64_t> packed_size_bytes(Packing packing, const Shape& shape) {
  const PackingRow* const row = find(packing);
  if (row == nullptr || !applies(*row, shape)) return std::nullopt;
  const int outputs = row->form == Form::kMatrix ? 1 : 0, inputs = 1 - outputs;
  int64_t reduction = 1;  // elements of an output
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t extent = shape[axis];
    if (axis == outputs) continue;
    if (!round_up(&extent, axis == inputs ? row->input_multiple : 1)) return std::nullopt;
    if (__builtin_mul_overflow(reduction, extent, &reduction)) return std::nullopt;
  }
  if (!round_up(&reduction, row->reduction_multiple)) return std::nullopt;
  int64_t bytes = shape[outputs];
  if (!round_up(&bytes, kBlock) || __builtin_mul_overflow(bytes, reduction, &bytes)) return std::nullopt;
  if (__builtin_mul_overflow(bytes, static_cast<int64_t>(size_bytes(row->type)), &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace nestrt
