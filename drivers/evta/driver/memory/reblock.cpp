// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/reblock.h"

#include <cstring>

#include "runtime/core/channel_blocks.h"

namespace nestrt::evta {
namespace {

// Bytes of one group of channels, at each pixel.
template <int64_t kBytes>
void copy_group(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step, int64_t pixels) {
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    std::memcpy(to + pixel * to_step, from + pixel * from_step, static_cast<size_t>(kBytes));
}

template <int64_t kBytes>
void clear_group(std::byte* to, int64_t step, int64_t pixels) {
  for (int64_t pixel = 0; pixel < pixels; ++pixel) std::memset(to + pixel * step, 0, static_cast<size_t>(kBytes));
}

// Copies groups of kBytes channels, which are contiguous in both forms.
template <int64_t kBytes>
void convert(int64_t images, const ChannelBlocks& own, const std::byte* from, const ChannelBlocks& wanted,
             std::byte* to) {
  for (int64_t image = 0; image < images; ++image)
    for (int64_t channel = 0; channel < wanted.channels; channel += kBytes) {
      std::byte* const group = to + wanted.index(image, channel, 0);
      if (channel < own.channels)
        copy_group<kBytes>(from + own.index(image, channel, 0), own.block, group, wanted.block, own.pixels);
      else
        clear_group<kBytes>(group, wanted.block, wanted.pixels);
    }
}

void convert(const Reblocking& shape, const ChannelBlocks& own, const std::byte* from, const ChannelBlocks& wanted,
             std::byte* to) {
  if (shape.block == 8) return convert<8>(shape.images, own, from, wanted, to);
  convert<16>(shape.images, own, from, wanted, to);
}

ChannelBlocks plan_blocks(const Reblocking& shape) { return {shape.blocks16 * 16, shape.pixels, 16}; }
ChannelBlocks unit_blocks(const Reblocking& shape) {
  return {shape.unit_blocks * shape.block, shape.pixels, shape.block};
}

}  // namespace

void to_unit_blocks(const Reblocking& shape, const std::byte* from, std::byte* to) {
  convert(shape, plan_blocks(shape), from, unit_blocks(shape), to);
}

void from_unit_blocks(const Reblocking& shape, const std::byte* from, std::byte* to) {
  convert(shape, unit_blocks(shape), from, plan_blocks(shape), to);
}

}  // namespace nestrt::evta
