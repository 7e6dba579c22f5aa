// ChannelBlocks: where the elements of a tensor with its channels in blocks lie:
// [images][channels / block][pixels][block]. With blocks of one channel that is row-major.
#pragma once

#include <cstdint>

#include "nestrt/data_type.h"
#include "nestrt/shape.h"

namespace nestrt {

struct ChannelBlocks {
  int64_t channels = 1;
  int64_t pixels = 1;  // elements of a channel
  int64_t block = 16;  // channels

  int64_t blocks() const { return (channels + block - 1) / block; }
  // In elements.
  int64_t index(int64_t image, int64_t channel, int64_t pixel) const {
    return ((image * blocks() + channel / block) * pixels + pixel) * block + channel % block;
  }
};

// What is stored of a tensor in that layout: of a folded image its folded channels and pixels. Requires: rank 2 or
// more, a folded one 4; channels times 64 are no overflow.
inline ChannelBlocks stored_blocks(const Shape& shape, Layout layout) {
  if (!is_folded(layout)) return {shape[1], shape.product(2, shape.rank()), block_size(layout)};
  const int64_t fold = fold_of(layout);
  return {shape[1] * fold * fold, ((shape[2] + fold - 1) / fold) * ((shape[3] + fold - 1) / fold), block_size(layout)};
}

// Where the elements of a tensor lie, whatever its layout.
class StoredOrder {
 public:
  // Requires: as stored_blocks().
  StoredOrder(const Shape& shape, Layout layout)
      : blocks_(stored_blocks(shape, layout)),
        channels_(shape[1]),
        fold_(fold_of(layout)),
        width_(fold_ > 1 ? shape[3] : 1) {}

  // In elements; `pixel`: of the tensor's own.
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
