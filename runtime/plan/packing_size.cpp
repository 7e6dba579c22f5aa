#include "runtime/plan/packing_size.h"

namespace nestrt {
namespace {

constexpr int64_t round_up_16(int64_t count) { return (count + 15) / 16 * 16; }

}  // namespace

std::optional<int64_t> packed_bytes(plan::Packing packing, const Shape& shape) {
  constexpr int64_t kElementBytes = sizeof(float);
  const int rank = shape.rank();
  switch (packing) {
    case plan::Packing::none: return std::nullopt;
    case plan::Packing::o16i16:
    case plan::Packing::stem16:
    case plan::Packing::depthwise16:
      if (rank < 3) return std::nullopt;
      return round_up_16(shape[0]) * shape.product(1, rank) * kElementBytes;
    case plan::Packing::panel16:
      if (rank != 2) return std::nullopt;
      return round_up_16(shape[1]) * shape[0] * kElementBytes;
  }
  return std::nullopt;
}

}  // namespace nestrt
