#include "drivers/evta/driver/reblock.h"

#include <cstring>

#include "runtime/core/channel_blocks.h"

namespace nestrt::evta {
namespace {

constexpr int64_t kNarrow = 16;
constexpr int64_t kWide = 32;

// copy(offset in blocks of 16, offset in blocks of 32) for each 16 channels of a pixel.
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

// Row `y` of the picture's plane, as far as it exists, at the places of one channel.
void fold_row(const Folding& folding, const std::byte* plane, int64_t y, int64_t first_x, std::byte* to) {
  const int64_t width = folding.picture[3];
  const bool exists = y < folding.picture[2];
  for (int64_t column = 0; column < folding.columns(); ++column) {
    const int64_t x = column * folding.fold + first_x;
    to[column * folding.block] = exists && x < width ? plane[y * width + x] : std::byte{0};
  }
}

void fold_channel(const Folding& folding, const std::byte* plane, int64_t first_y, int64_t first_x, std::byte* to) {
  for (int64_t row = 0; row < folding.rows(); ++row)
    fold_row(folding, plane, row * folding.fold + first_y, first_x, to + row * folding.columns() * folding.block);
}

void clear_channel(const Folding& folding, std::byte* to) {
  for (int64_t pixel = 0; pixel < folding.rows() * folding.columns(); ++pixel) to[pixel * folding.block] = std::byte{0};
}

}  // namespace

void to_folded_blocks(const Folding& folding, const std::byte* from, std::byte* to) {
  const int64_t channels = folding.picture[1], plane = folding.picture[2] * folding.picture[3];
  const ChannelBlocks blocks{folding.channels(), folding.rows() * folding.columns(), folding.block};
  for (int64_t image = 0; image < folding.picture[0]; ++image) {
    for (int64_t channel = folding.channels(); channel < folding.blocks() * folding.block; ++channel)
      clear_channel(folding, to + blocks.index(image, channel, 0));
    for (int64_t channel = 0; channel < folding.channels(); ++channel) {
      const int64_t pixel = channel / channels;
      fold_channel(folding, from + (image * channels + channel % channels) * plane, pixel / folding.fold,
                   pixel % folding.fold, to + blocks.index(image, channel, 0));
    }
  }
}

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
