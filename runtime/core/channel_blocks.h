// SPDX-License-Identifier: Apache-2.0
// ChannelBlocks: element positions in a tensor whose channels are stored in blocks: [images][channels /
// block][pixels][block]. Blocks of one channel are row-major.
#pragma once

#include <cstdint>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"

namespace nestrt {

struct ChannelBlocks {
  int64_t channels = 1;
  int64_t pixels = 1;  // per channel
  int64_t block = 16;  // channels per block

  int64_t blocks() const { return (channels + block - 1) / block; }
  // Returns the position, counted in elements.
  int64_t index(int64_t image, int64_t channel, int64_t pixel) const {
    return ((image * blocks() + channel / block) * pixels + pixel) * block + channel % block;
  }
};

// Returns the stored blocks of a tensor with the given layout. For a folded image, channels and pixels are the folded
// ones. Requires: rank 2 or more, 4 for folded layouts; channels times 64 do not overflow.
inline ChannelBlocks stored_blocks(const Shape& shape, Layout layout) {
  if (!is_folded(layout)) return {shape[1], shape.product(2, shape.rank()), block_size(layout)};
  const int64_t fold = fold_of(layout);
  return {shape[1] * fold * fold, ((shape[2] + fold - 1) / fold) * ((shape[3] + fold - 1) / fold), block_size(layout)};
}

// Element positions in a tensor of any layout.
class StoredOrder {
 public:
  // Requires: the preconditions of stored_blocks().
  StoredOrder(const Shape& shape, Layout layout)
      : blocks_(stored_blocks(shape, layout)),
        channels_(shape[1]),
        fold_(fold_of(layout)),
        width_(fold_ > 1 ? shape[3] : 1) {}

  // Returns the position, counted in elements. `pixel` refers to the unfolded tensor.
  int64_t index(int64_t image, int64_t channel, int64_t pixel) const {
    if (fold_ == 1) return blocks_.index(image, channel, pixel);
    const int64_t y = pixel / width_, x = pixel % width_, columns = (width_ + fold_ - 1) / fold_;
    const int64_t folded = (y % fold_ * fold_ + x % fold_) * channels_ + channel;
    return blocks_.index(image, folded, y / fold_ * columns + x / fold_);
  }

 private:
  ChannelBlocks blocks_;
  int64_t channels_, fold_, width_;
};

}  // namespace nestrt
