// Pieces: programs for some of the output channels of a layer, so that the CPU, and other units of the same kind, can
// compute the others meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "nestrt/driver/channel_range.h"

namespace nestrt::compiler::evta {

// Shares of the channels that pieces are made for by default: 1/16 to 15/16. There are no more.
inline constexpr int kDefaultPartialPrograms = 15;

// What can be cut: channels in blocks of so many, and blocks into so many rows, 1 where they cannot.
struct Divisible {
  int64_t channels = 0;
  int64_t rows = 1;
  int64_t block = 16;
  int64_t host_rows = 1;  // that the host's kernel computes at a time: a part of them takes as long
};

// The numbers of channels: those multiples of the block that are nearest to `count` shares at even distances, each
// once, in ascending order. Which one keeps both units busy depends on their speeds: dense convolutions want large
// ones, pools and depthwise convolutions, at which a CPU is good, small ones.
std::vector<int64_t> partial_channels(int64_t channels, int64_t block, int count);

// Those, from the first channel on, and where there are rows and fewer blocks than shares, shares that end within a
// block, in front of whole tiles of the host's; and for 2 units, 3, up to `instances`, even parts of the whole and of
// what is left by a CPU that is up to as fast as one of them: cut at the nearest row, where there are rows. Each once,
// in ascending order; none for all channels.
std::vector<ChannelRange> partial_ranges(const Divisible& layer, int count, int instances);

}  // namespace nestrt::compiler::evta
