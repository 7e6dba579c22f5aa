// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/reblock.h"

#include <catch2/catch.hpp>
#include <vector>

namespace nestrt::evta {
namespace {

std::byte element(int64_t image, int64_t channel, int64_t pixel) {
  return static_cast<std::byte>(1 + (image * 97 + channel * 13 + pixel * 5) % 251);
}

// Returns [images][blocks][pixels][block] with the elements of `channels` channels and zeros after them.
std::vector<std::byte> tensor(const Reblocking& shape, int64_t blocks, int64_t block, int64_t channels) {
  std::vector<std::byte> bytes;
  for (int64_t image = 0; image < shape.images; ++image)
    for (int64_t outer = 0; outer < blocks; ++outer)
      for (int64_t pixel = 0; pixel < shape.pixels; ++pixel)
        for (int64_t lane = 0; lane < block; ++lane) {
          const int64_t channel = outer * block + lane;
          bytes.push_back(channel < channels ? element(image, channel, pixel) : std::byte{0});
        }
  return bytes;
}

TEST_CASE("Activations are converted to blocks of 8 and 32 channels and back, and missing channels become zero") {
  for (const int64_t channels : {8, 16, 24, 40, 48, 64})
    for (const int64_t block : {8, 32}) {
      const Reblocking shape = {2, (channels + 15) / 16, 7, block, (channels + block - 1) / block};
      CAPTURE(channels, block);
      const std::vector<std::byte> plan = tensor(shape, shape.blocks16, 16, channels);
      const std::vector<std::byte> unit = tensor(shape, shape.unit_blocks, block, channels);
      REQUIRE(plan.size() == shape.host_bytes());
      std::vector<std::byte> there(unit.size(), std::byte{0xee}), back(plan.size(), std::byte{0xee});
      to_unit_blocks(shape, plan.data(), there.data());
      CHECK(there == unit);
      from_unit_blocks(shape, unit.data(), back.data());
      CHECK(back == plan);
    }
}

}  // namespace
}  // namespace nestrt::evta
