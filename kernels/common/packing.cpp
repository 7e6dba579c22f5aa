#include "kernels/common/packing.h"

#include <algorithm>

#include "nestrt/packing.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kBlock = 16;

// A packed constant as [outputs][channels][spatial] whatever its rank.
struct Extents {
  int64_t outputs;
  int64_t channels;  // of the reduction, without the spatial axes
  int64_t spatial;
  int64_t width = 1;  // of a stem's last axis, which is the outermost of its reduction
};

bool is_matrix(Packing packing) { return packing == Packing::kPanel16 || packing == Packing::kS8Panel; }

Extents extents(Packing packing, const Shape& shape) {
  if (is_matrix(packing)) return {shape[1], shape[0], 1};
  if (packing == Packing::kS8Stem) return {shape[0], shape.product(1, shape.rank()), 1, shape[shape.rank() - 1]};
  return {shape[0], shape[1], shape.product(2, shape.rank())};
}

int64_t plain_index(Packing packing, const Extents& e, int64_t output, int64_t channel, int64_t position) {
  if (is_matrix(packing)) return channel * e.outputs + output;
  if (packing == Packing::kS8Stem) {
    const int64_t rows = e.channels / e.width;
    return (output * rows + channel % rows) * e.width + channel / rows;
  }
  return (output * e.channels + channel) * e.spatial + position;
}

// A packed constant in memory is [output blocks][channel blocks][spatial][channel groups][16 outputs][group].
struct Order {
  int64_t channel_block = 1;
  int64_t group = 1;          // channels side by side within an output
  bool whole_blocks = false;  // the last channel block is as long as the others
};

Order order_of(Packing packing) {
  switch (packing) {
    case Packing::kO16i16:
      return {kBlock, 1, false};
    case Packing::kS8O16i4:
      return {kBlock, 4, true};
    case Packing::kS8Stem:
      return {8, 4, true};
    case Packing::kS8Panel:
      return {kBlock, 4, true};
    default:
      return {};
  }
}

// Calls visit(plain index or -1 for padding) for every packed element in order.
template <typename Visit>
void for_each_packed(Packing packing, const Shape& shape, Visit visit) {
  const Extents e = extents(packing, shape);
  const Order order = order_of(packing);
  const auto visit_group = [&](int64_t o0, int64_t c0, int64_t s) {
    for (int64_t o = o0; o < o0 + kBlock; ++o)
      for (int64_t c = c0; c < c0 + order.group; ++c)
        visit(o < e.outputs && c < e.channels ? plain_index(packing, e, o, c, s) : -1);
  };
  for (int64_t o0 = 0; o0 < e.outputs; o0 += kBlock)
    for (int64_t c0 = 0; c0 < e.channels; c0 += order.channel_block) {
      const int64_t whole = c0 + order.channel_block;
      const int64_t end = order.whole_blocks ? whole : std::min(whole, e.channels);
      for (int64_t s = 0; s < e.spatial; ++s)
        for (int64_t c = c0; c < end; c += order.group) visit_group(o0, c, s);
    }
}

}  // namespace

bool packing_fits(Packing packing, const Shape& shape) { return packed_bytes(packing, shape) >= 0; }

int64_t packed_bytes(Packing packing, const Shape& shape) {
  if (packing == Packing::kNone) return storage_bytes(DataType::kF32, shape, Layout::kPlain);
  return packed_size_bytes(packing, shape).value_or(-1);
}

template <typename T>
void pack_weights(Packing packing, const Shape& shape, const T* plain, T* packed) {
  if (packing == Packing::kNone) {
    std::copy_n(plain, shape.num_elements(), packed);
    return;
  }
  for_each_packed(packing, shape, [&](int64_t index) { *packed++ = index < 0 ? T{0} : plain[index]; });
}

template <typename T>
void unpack_weights(Packing packing, const Shape& shape, const T* packed, T* plain) {
  if (packing == Packing::kNone) {
    std::copy_n(packed, shape.num_elements(), plain);
    return;
  }
  for_each_packed(packing, shape, [&](int64_t index) {
    if (index >= 0) plain[index] = *packed;
    ++packed;
  });
}

template void pack_weights(Packing, const Shape&, const float*, float*);
template void pack_weights(Packing, const Shape&, const int8_t*, int8_t*);
template void unpack_weights(Packing, const Shape&, const float*, float*);
template void unpack_weights(Packing, const Shape&, const int8_t*, int8_t*);

}  // namespace nestrt::kernels
