// SPDX-License-Identifier: Apache-2.0
// Converts s8 activations between the plan's blocks of 16 channels and a configuration's blocks of 8 or 32 channels:
//
// [images][ceil(C / 16)][pixels][16] and [images][ceil(C / B)][pixels][B]. Channels that the other form does not have
// become zero.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestrt::evta {

struct Reblocking {
  int64_t images = 1;
  int64_t blocks16 = 1;  // per image, in the plan
  int64_t pixels = 1;
  int64_t block = 32;       // B: 8 or 32
  int64_t unit_blocks = 1;  // per image, of B channels

  // Returns the number of bytes in blocks of 16.
  uint64_t host_bytes() const { return static_cast<uint64_t>(images * blocks16 * pixels * 16); }
};

void to_unit_blocks(const Reblocking& shape, const std::byte* from, std::byte* to);
void from_unit_blocks(const Reblocking& shape, const std::byte* from, std::byte* to);

}  // namespace nestrt::evta
