// Tiling: the sizes of the tiles that a layer is cut into to fit the on-chip memories, and the order of the loops over
// them. (A schedule, nestrt/driver/schedule.h, says which unit computes which branch.)
#pragma once

#include <cstdint>
#include <string>

namespace nestrt::compiler::evta {

// What changes from one tile to the next. The reduction over input blocks is always innermost.
enum class LoopOrder : uint8_t {
  kPixelsInner,  // weights stay while the rows and columns pass
  kBlocksInner,  // inputs stay while the output blocks pass
};

struct Tiling {
  // A tile's size; a block is the configuration's number of channels. The last tile of an axis may be smaller.
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t out_blocks = 1;
  // Input blocks whose inputs and weights are on chip at a time, within a group.
  int64_t in_blocks = 1;
  // 2: consecutive tiles use alternate parts of the memories, so that loads, stores and computing overlap. 1: all of
  // it.
  int threads = 2;
  LoopOrder order = LoopOrder::kPixelsInner;

  bool operator==(const Tiling&) const = default;
};

std::string to_string(const Tiling& tiling);

}  // namespace nestrt::compiler::evta
