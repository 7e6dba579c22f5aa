// Pieces: programs for the first output channels of a layer, so that another unit can compute the others meanwhile.
#pragma once

#include <cstdint>
#include <vector>

namespace nestrt::compiler::evta {

// Shares of the channels that pieces are made for by default: 1/16 to 15/16.
inline constexpr int kDefaultPieces = 15;

// The numbers of channels: those multiples of the block that are nearest to `count` shares at even distances, each
// once, in ascending order. Which one keeps both units busy depends on their speeds: dense convolutions want large
// ones, pools and depthwise convolutions, at which a CPU is good, small ones.
std::vector<int64_t> piece_channels(int64_t channels, int64_t block, int count);

}  // namespace nestrt::compiler::evta
