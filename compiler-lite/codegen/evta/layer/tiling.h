// SPDX-License-Identifier: Apache-2.0
// Tiling: the sizes of the tiles that make a layer fit the on-chip memories, and the order of the loops over the tiles.
// (A schedule, nestrt/driver/schedule.h, assigns branches to units.)
#pragma once

#include <cstdint>
#include <string>

namespace nestrt::compiler::evta {

// The innermost loop over tiles. The reduction over input blocks is always innermost.
enum class LoopOrder : uint8_t {
  kPixelsInner,  // weights stay on chip while rows and columns advance
  kBlocksInner,  // inputs stay on chip while output blocks advance
};

struct Tiling {
  // Size of a tile. A block contains the configuration's number of channels. The last tile of an axis may be smaller.
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t out_blocks = 1;
  // Input blocks of a group whose inputs and weights are on chip at the same time.
  int64_t in_blocks = 1;
  // With 2, consecutive tiles alternate between halves of the memories, so that loads, stores and computation overlap.
  // With 1, each tile uses all of the memory.
  int threads = 2;
  LoopOrder order = LoopOrder::kPixelsInner;

  bool operator==(const Tiling&) const = default;
};

std::string to_string(const Tiling& tiling);

}  // namespace nestrt::compiler::evta
