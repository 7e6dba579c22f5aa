// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/channel_blocks.h"

#include <catch2/catch.hpp>
#include <vector>

namespace nestrt {
namespace {

TEST_CASE("Blocks of channels are contiguous, pixel by pixel") {
  const ChannelBlocks blocks{.channels = 20, .pixels = 3, .block = 16};
  CHECK(blocks.blocks() == 2);
  CHECK(blocks.index(0, 0, 0) == 0);
  CHECK(blocks.index(0, 15, 0) == 15);
  CHECK(blocks.index(0, 0, 1) == 16);
  CHECK(blocks.index(0, 15, 2) == 47);
  CHECK(blocks.index(0, 16, 0) == 48);  // the second block, after 3 pixels of 16
  CHECK(blocks.index(0, 19, 2) == 83);
  CHECK(blocks.index(1, 0, 0) == 96);  // its block of 4 channels takes the place of 16
  CHECK(blocks.index(2, 17, 1) == 2 * 96 + 48 + 16 + 1);
}

TEST_CASE("Blocks of one channel are row-major") {
  const ChannelBlocks blocks{.channels = 5, .pixels = 7, .block = 1};
  CHECK(blocks.blocks() == 5);
  int64_t next = 0;
  for (int64_t image = 0; image < 2; ++image)
    for (int64_t channel = 0; channel < 5; ++channel)
      for (int64_t pixel = 0; pixel < 7; ++pixel) CHECK(blocks.index(image, channel, pixel) == next++);
}

}  // namespace
}  // namespace nestrt
