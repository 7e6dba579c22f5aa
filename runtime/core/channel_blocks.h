// ChannelBlocks: where the elements of a tensor with its channels in blocks lie:
// [images][channels / block][pixels][block]. With blocks of one channel that is row-major.
#pragma once

#include <cstdint>

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

}  // namespace nestrt
