#include "runtime/plan/packing_size.h"

namespace nestrt {
namespace {

constexpr int64_t kBlock = 16;
constexpr int64_t kStemGrain = 8;

// The axis of the outputs, whose extent is rounded up to whole blocks. -1 where the packing does not apply.
int output_axis(plan::Packing packing, const Shape& shape) {
  switch (packing) {
    case plan::Packing::none:
      return -1;
    case plan::Packing::o16i16:
    case plan::Packing::stem16:
    case plan::Packing::s8_o16i4:
    case plan::Packing::s8_o16i16:
    case plan::Packing::s8_stem:
      return shape.rank() >= 3 ? 0 : -1;
    case plan::Packing::depthwise16:
    case plan::Packing::s8_depthwise16:
      return shape.rank() >= 3 && shape[1] == 1 ? 0 : -1;
    case plan::Packing::panel16:
    case plan::Packing::s8_panel:
      return shape.rank() == 2 ? 1 : -1;
  }
  return -1;
}

// What the extent of another axis than the outputs is rounded up to.
int64_t axis_multiple(plan::Packing packing, int axis) {
  switch (packing) {
    case plan::Packing::s8_o16i4:
    case plan::Packing::s8_o16i16:
      return axis == 1 ? kBlock : 1;
    case plan::Packing::s8_panel:
      return axis == 0 ? kBlock : 1;
    default:
      return 1;
  }
}

bool round_up(int64_t* extent, int64_t multiple) {
  if (*extent < 0 || __builtin_add_overflow(*extent, multiple - 1, extent)) return false;
  *extent = *extent / multiple * multiple;
  return true;
}

}  // namespace

DataType packed_type(plan::Packing packing) {
  return packing >= plan::Packing::s8_o16i4 ? DataType::kS8 : DataType::kF32;
}

std::optional<int64_t> packed_size_bytes(plan::Packing packing, const Shape& shape) {
  const int output = output_axis(packing, shape);
  if (output < 0) return std::nullopt;
  int64_t reduction = 1;  // elements of an output
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t extent = shape[axis];
    if (axis == output) continue;
    if (!round_up(&extent, axis_multiple(packing, axis))) return std::nullopt;
    if (__builtin_mul_overflow(reduction, extent, &reduction)) return std::nullopt;
  }
  if (packing == plan::Packing::s8_stem && !round_up(&reduction, kStemGrain)) return std::nullopt;
  int64_t bytes = shape[output];
  if (!round_up(&bytes, kBlock) || __builtin_mul_overflow(bytes, reduction, &bytes)) return std::nullopt;
  if (__builtin_mul_overflow(bytes, static_cast<int64_t>(size_bytes(packed_type(packing))), &bytes))
    return std::nullopt;
  return bytes;
}

}  // namespace nestrt
