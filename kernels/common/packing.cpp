#include "kernels/common/packing.h"

#include <algorithm>

#include "nestrt/packing.h"

namespace nestrt::kernels {
namespace {

// A packed constant as [outputs][channels][positions] whatever its form.
struct Extents {
  int64_t outputs;
  int64_t channels;
  int64_t positions;
  int64_t width = 1;  // extent of a stem's last axis, the outermost of its channels
};

Extents extents(PackedForm form, const Shape& shape) {
  if (form == PackedForm::kMatrix) return {shape[1], shape[0], 1};
  if (form == PackedForm::kStem) return {shape[0], shape.product(1, shape.rank()), 1, shape[shape.rank() - 1]};
  return {shape[0], shape[1], shape.product(2, shape.rank())};
}

int64_t plain_index(PackedForm form, const Extents& e, int64_t output, int64_t channel, int64_t position) {
  if (form == PackedForm::kMatrix) return channel * e.outputs + output;
  if (form == PackedForm::kStem) {
    const int64_t rows = e.channels / e.width;
    return (output * rows + channel % rows) * e.width + channel / rows;
  }
  return (output * e.channels + channel) * e.positions + position;
}

// Calls visit(plain index or -1 for padding) for every packed element in order.
template <typename Visit>
void for_each_packed(Packing packing, const Shape& shape, Visit visit) {
  const PackingRow& row = row_of(packing);
  const Extents e = extents(row.form, shape);
  const auto visit_group = [&](int64_t o0, int64_t c0, int64_t position) {
    for (int64_t o = o0; o < o0 + kPackedOutputs; ++o)
      for (int64_t c = c0; c < c0 + row.channel_group; ++c)
        visit(o < e.outputs && c < e.channels ? plain_index(row.form, e, o, c, position) : -1);
  };
  for (int64_t o0 = 0; o0 < e.outputs; o0 += kPackedOutputs)
    for (int64_t c0 = 0; c0 < e.channels; c0 += row.channel_block) {
      const int64_t whole = c0 + row.channel_block;
      const int64_t end = row.whole_blocks ? whole : std::min(whole, e.channels);
      for (int64_t position = 0; position < e.positions; ++position)
        for (int64_t c = c0; c < end; c += row.channel_group) visit_group(o0, c, position);
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
