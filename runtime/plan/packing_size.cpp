#include "runtime/plan/packing_size.h"

namespace nestrt {
namespace {

constexpr int64_t kBlock = 16;
constexpr int kInputAxis = 1;  // of convolution weights

// The axis of the outputs, whose extent is rounded up to whole blocks. -1 where the packing does not apply.
int output_axis(plan::Packing packing, const Shape& shape) {
  switch (packing) {
    case plan::Packing::none:
      return -1;
    case plan::Packing::o16i16:
    case plan::Packing::stem16:
    case plan::Packing::s8_o16i4:
    case plan::Packing::s8_o16i16:
      return shape.rank() >= 3 ? 0 : -1;
    case plan::Packing::depthwise16:
    case plan::Packing::s8_depthwise16:
      return shape.rank() >= 3 && shape[1] == 1 ? 0 : -1;
    case plan::Packing::panel16:
      return shape.rank() == 2 ? 1 : -1;
  }
  return -1;
}

bool pads_inputs(plan::Packing packing) {
  return packing == plan::Packing::s8_o16i4 || packing == plan::Packing::s8_o16i16;
}

}  // namespace

DataType packed_type(plan::Packing packing) {
  return packing >= plan::Packing::s8_o16i4 ? DataType::kS8 : DataType::kF32;
}

std::optional<int64_t> packed_size_bytes(plan::Packing packing, const Shape& shape) {
  const int blocked_axis = output_axis(packing, shape);
  if (blocked_axis < 0) return std::nullopt;
  int64_t bytes = size_bytes(packed_type(packing));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t extent = shape[axis];
    if (axis == blocked_axis || (axis == kInputAxis && pads_inputs(packing))) {
      if (__builtin_add_overflow(extent, kBlock - 1, &extent)) return std::nullopt;
      extent = extent / kBlock * kBlock;
    }
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace nestrt
