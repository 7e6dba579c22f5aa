// SPDX-License-Identifier: Apache-2.0
// Converts s8 activations between the plan's blocks of 16 channels and the blocks of 32 channels of wider
// configurations:
//
// [images][ceil(C / 16)][pixels][16] and [images][ceil(C / 32)][pixels][32]. Channels after the last block of 16 become
// zero.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestrt::evta {

struct Reblocking {
  int64_t images = 1;
  int64_t blocks16 = 1;  // per image
  int64_t pixels = 1;

  // Returns the number of bytes in blocks of 16.
  uint64_t host_bytes() const { return static_cast<uint64_t>(images * blocks16 * pixels * 16); }
};

void to_blocks_of_32(const Reblocking& shape, const std::byte* from, std::byte* to);
void from_blocks_of_32(const Reblocking& shape, const std::byte* from, std::byte* to);

}  // namespace nestrt::evta
