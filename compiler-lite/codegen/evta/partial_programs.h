// SPDX-License-Identifier: Apache-2.0
// Partial programs: programs for some of a layer's output channels. The CPU and other units of the same kind can
// compute the rest concurrently.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/channel_range.h"

namespace nestrt::compiler::evta {

// Default and maximum number of partial programs from the first channel on: 1/16 to 15/16 of the channels.
inline constexpr int kDefaultPartialPrograms = 15;

// Granularity of a division: channels in blocks of `block`, and blocks in `rows` rows (1 if blocks cannot be divided).
struct Divisible {
  int64_t channels = 0;
  int64_t rows = 1;
  int64_t block = 16;
  int64_t host_rows = 1;  // rows that the host's kernel computes together: fewer rows take the same time
};

// Returns the multiples of the block that are nearest to `count` equidistant shares, in ascending order without
// duplicates. The share that keeps the CPU and the unit equally busy depends on their speeds: it is large for dense
// convolutions, and small for pools and depthwise convolutions, which run well on a CPU.
std::vector<int64_t> partial_channels(int64_t channels, int64_t block, int count);

// Returns the channel ranges to generate programs for, in ascending order without duplicates; never all channels:
// - partial_channels() from the first channel on;
// - if blocks can be divided and there are fewer blocks than shares: shares that end within a block, so that the rest
// of the block is a whole number of the host's tiles;
// - for 2 to `instances` units, even parts of the whole layer and of what remains if a CPU of at most one unit's speed
//   computes a share, divided at the nearest row if blocks can be divided.
std::vector<ChannelRange> partial_ranges(const Divisible& layer, int count, int instances);

}  // namespace nestrt::compiler::evta
