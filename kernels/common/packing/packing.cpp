// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/packing/packing.h"

#include <algorithm>

#include "kernels/common/packing/winograd_weights.h"
#include "runtime/kernel/packing.h"

namespace nestrt::kernels {
namespace {

// The extents of a constant, viewed as [outputs][channels][positions] for any packed form.
struct Extents {
  int64_t outputs;
  int64_t channels;
  int64_t positions;
  int64_t width = 1;  // the last axis of a stem, the outermost of its channels
};

Extents extents(const PackingRow& row, const Shape& shape) {
  const PackedForm form = row.form;
  if (form == PackedForm::kMatrix) return {shape[1], shape[0], 1};
  if (form == PackedForm::kWinograd) return {shape[0], shape[1] * row.channel_group, row.positions};
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

// A contiguous range of packed elements, for 16 outputs and a block of channels.
struct PackedBlock {
  int64_t first_output;
  int64_t first_channel;
  int64_t end_channel;  // including padding
  int64_t begin;        // index of the first element
};

template <typename Visit>
void for_each_block(const PackingRow& row, const Extents& e, Visit visit) {
  int64_t begin = 0;
  for (int64_t o = 0; o < e.outputs; o += kPackedOutputs)
    for (int64_t c = 0; c < e.channels; c += row.channel_block) {
      const int64_t whole = c + row.channel_block;
      const int64_t end = row.whole_blocks ? whole : std::min(whole, e.channels);
      visit(PackedBlock{o, c, end, begin});
      begin += kPackedOutputs * (end - c) * e.positions;
    }
}

// Calls visit(packed index of the first element, first channel, position) for every group of channels in a block, in
// packed order.
template <typename Visit>
void for_each_group(const PackingRow& row, const Extents& e, const PackedBlock& block, Visit visit) {
  int64_t at = block.begin;
  for (int64_t position = 0; position < e.positions; ++position)
    for (int64_t c = block.first_channel; c < block.end_channel; c += row.channel_group) {
      visit(at, c, position);
      at += kPackedOutputs * row.channel_group;
    }
}

// Calls visit(packed index, plain index) for every element of a block, in packed order. The plain index is -1 for
// padding.
template <typename Visit>
void for_each_packed(const PackingRow& row, const Extents& e, const PackedBlock& block, Visit visit) {
  for_each_group(row, e, block, [&](int64_t at, int64_t c0, int64_t position) {
    for (int64_t o = block.first_output; o < block.first_output + kPackedOutputs; ++o)
      for (int64_t c = c0; c < c0 + row.channel_group; ++c)
        visit(at++, o < e.outputs && c < e.channels ? plain_index(row.form, e, o, c, position) : -1);
  });
}

// Calls visit for every packed element.
template <typename Visit>
void for_each_packed(Packing packing, const Shape& shape, Visit visit) {
  const PackingRow& row = row_of(packing);
  const Extents e = extents(row, shape);
  for_each_block(row, e, [&](const PackedBlock& block) { for_each_packed(row, e, block, visit); });
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
  if (row_of(packing).form == PackedForm::kWinograd) return pack_winograd(packing, shape, plain, packed);
  for_each_packed(packing, shape, [&](int64_t at, int64_t index) { packed[at] = index < 0 ? T{0} : plain[index]; });
}

template <typename T>
void unpack_weights(Packing packing, const Shape& shape, const T* packed, T* plain) {
  if (packing == Packing::kNone) {
    std::copy_n(packed, shape.num_elements(), plain);
    return;
  }
  if (row_of(packing).form == PackedForm::kWinograd) return unpack_winograd(packing, shape, packed, plain);
  for_each_packed(packing, shape, [&](int64_t at, int64_t index) {
    if (index >= 0) plain[index] = packed[at];
  });
}

namespace {

template <typename T>
bool is_zero(const T* begin, const T* end) {
  return std::all_of(begin, end, [](T element) { return element == T{0}; });
}

// Returns whether the padding of one block is zero at all positions. For matrices, checks the padding of channels only.
template <typename T>
bool has_zero_padding(const PackingRow& row, const Extents& e, const PackedBlock& block, const T* packed) {
  const int64_t group = row.channel_group;
  const int64_t outputs =
      row.form == PackedForm::kMatrix ? kPackedOutputs : std::min(kPackedOutputs, e.outputs - block.first_output);
  bool all_zero = true;
  for_each_group(row, e, block, [&](int64_t at, int64_t c, int64_t) {
    const T* const first = packed + at;
    all_zero = all_zero && is_zero(first + outputs * group, first + kPackedOutputs * group);
    const int64_t channels = std::clamp<int64_t>(e.channels - c, 0, group);
    for (int64_t o = 0; o < outputs && channels < group; ++o)
      all_zero = all_zero && is_zero(first + o * group + channels, first + (o + 1) * group);
  });
  return all_zero;
}

}  // namespace

template <typename T>
bool has_zero_padding(Packing packing, const Shape& shape, const T* packed) {
  if (packing == Packing::kNone) return true;
  const PackingRow& row = row_of(packing);
  const Extents e = extents(row, shape);
  bool all_zero = true;
  for_each_block(row, e, [&](const PackedBlock& block) {
    const bool has_outputs = row.form != PackedForm::kMatrix && block.first_output + kPackedOutputs > e.outputs;
    if (has_outputs || block.end_channel > e.channels) all_zero = all_zero && has_zero_padding(row, e, block, packed);
  });
  return all_zero;
}

template void pack_weights(Packing, const Shape&, const float*, float*);
template void pack_weights(Packing, const Shape&, const int8_t*, int8_t*);
template void unpack_weights(Packing, const Shape&, const float*, float*);
template void unpack_weights(Packing, const Shape&, const int8_t*, int8_t*);
template bool has_zero_padding(Packing, const Shape&, const float*);
template bool has_zero_padding(Packing, const Shape&, const int8_t*);

}  // namespace nestrt::kernels
