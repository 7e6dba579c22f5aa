#include "kernels/common/packing.h"

#include <algorithm>

#include "runtime/plan/packing_size.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kBlock = 16;

// A packed constant as [outputs][channels][spatial] whatever its rank.
struct Extents {
  int64_t outputs;
  int64_t channels;  // of the reduction, without the spatial axes
  int64_t spatial;
};

Extents extents(plan::Packing packing, const Shape& shape) {
  if (packing == plan::Packing::panel16) return {shape[1], shape[0], 1};
  return {shape[0], shape[1], shape.product(2, shape.rank())};
}

int64_t plain_index(plan::Packing packing, const Extents& e, int64_t output, int64_t channel, int64_t position) {
  if (packing == plan::Packing::panel16) return channel * e.outputs + output;
  return (output * e.channels + channel) * e.spatial + position;
}

// Calls visit(plain index or -1 for padding) for every packed element in order.
template <typename Visit>
void for_each_packed(plan::Packing packing, const Shape& shape, Visit visit) {
  const Extents e = extents(packing, shape);
  const int64_t channel_block = packing == plan::Packing::o16i16 ? kBlock : 1;
  for (int64_t o0 = 0; o0 < e.outputs; o0 += kBlock)
    for (int64_t c0 = 0; c0 < e.channels; c0 += channel_block)
      for (int64_t s = 0; s < e.spatial; ++s)
        for (int64_t c = c0; c < std::min(c0 + channel_block, e.channels); ++c)
          for (int64_t o = o0; o < o0 + kBlock; ++o) visit(o < e.outputs ? plain_index(packing, e, o, c, s) : -1);
}

}  // namespace

bool packing_fits(plan::Packing packing, const Shape& shape) { return packed_bytes(packing, shape) >= 0; }

int64_t packed_bytes(plan::Packing packing, const Shape& shape) {
  if (packing == plan::Packing::none) return storage_bytes(DataType::kF32, shape, Layout::kPlain);
  return packed_size_bytes(packing, shape).value_or(-1);
}

void pack_weights(plan::Packing packing, const Shape& shape, const float* plain, float* packed) {
  if (packing == plan::Packing::none) {
    std::copy_n(plain, shape.num_elements(), packed);
    return;
  }
  for_each_packed(packing, shape, [&](int64_t index) { *packed++ = index < 0 ? 0.0f : plain[index]; });
}

void unpack_weights(plan::Packing packing, const Shape& shape, const float* packed, float* plain) {
  if (packing == plan::Packing::none) {
    std::copy_n(packed, shape.num_elements(), plain);
    return;
  }
  for_each_packed(packing, shape, [&](int64_t index) {
    if (index >= 0) plain[index] = *packed;
    ++packed;
  });
}

}  // namespace nestrt::kernels
