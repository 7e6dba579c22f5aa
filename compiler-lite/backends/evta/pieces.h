// Pieces: programs for the first output channels of a layer, so that another unit can compute the others meanwhile.
#pragma once

#include <cstdint>
#include <vector>

namespace nestrt::compiler::evta {

// Shares of the channels that pieces are made for by default: 1/2, 5/8, 3/4, 7/8.
inline constexpr int kDefaultPieces = 4;

// The numbers of channels: of `count` even steps from one half to all of them the nearest multiples of the block, each
// once, in ascending order. Shares below one half would be the best only where the CPU is the faster unit.
std::vector<int64_t> piece_channels(int64_t channels, int64_t block, int count);

}  // namespace nestrt::compiler::evta
