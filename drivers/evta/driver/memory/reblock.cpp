// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/reblock.h"

#include <cstring>

#include "runtime/core/channel_blocks.h"

namespace nestrt::evta {
namespace {

constexpr int64_t kNarrow = 16;
constexpr int64_t kWide = 32;

// Calls copy(offset in blocks of 16, offset in blocks of 32) for every 16 channels of a pixel.
template <typename Copy>
void for_each_vector(const Reblocking& shape, Copy copy) {
  const ChannelBlocks narrow_blocks{shape.blocks16 * kNarrow, shape.pixels, kNarrow};
  const ChannelBlocks wide_blocks{shape.blocks16 * kNarrow, shape.pixels, kWide};
  for (int64_t image = 0; image < shape.images; ++image)
    for (int64_t block = 0; block < shape.blocks16; ++block) {
      const int64_t narrow = narrow_blocks.index(image, block * kNarrow, 0);
      const int64_t wide = wide_blocks.index(image, block * kNarrow, 0);
      for (int64_t pixel = 0; pixel < shape.pixels; ++pixel) copy(narrow + pixel * kNarrow, wide + pixel * kWide);
    }
}

}  // namespace

void to_blocks_of_32(const Reblocking& shape, const std::byte* from, std::byte* to) {
  for_each_vector(shape, [&](int64_t narrow, int64_t wide) { std::memcpy(to + wide, from + narrow, kNarrow); });
  if (shape.blocks16 % 2 == 0) return;
  const ChannelBlocks wide_blocks{shape.blocks16 * kNarrow, shape.pixels, kWide};
  for (int64_t image = 0; image < shape.images; ++image) {
    std::byte* const last = to + wide_blocks.index(image, (shape.blocks16 - 1) * kNarrow, 0) + kNarrow;
    for (int64_t pixel = 0; pixel < shape.pixels; ++pixel) std::memset(last + pixel * kWide, 0, kNarrow);
  }
}

void from_blocks_of_32(const Reblocking& shape, const std::byte* from, std::byte* to) {
  for_each_vector(shape, [&](int64_t narrow, int64_t wide) { std::memcpy(to + narrow, from + wide, kNarrow); });
}

}  // namespace nestrt::evta
