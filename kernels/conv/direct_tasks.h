// SPDX-License-Identifier: Apache-2.0
// Splits direct convolutions over blocked16 tensors of any type into tasks, chunks and tiles.
//
// Tiles are output pixels x output blocks. For each tap, a tile reads each of its pixels through an offset, which is
// negative in the padding. Nothing is copied, and a tile may span rows: a 7 x 7 map is treated as a row of 49 pixels. A
// chunk has as many pixels as possible while their inputs still fit the second-level cache. It is processed for all
// output channels of a task.
#pragma once

#include <cstddef>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/geometry.h"
#include "runtime/core/function_ref.h"

namespace nestrt::kernels {

struct DirectChunk {
  int64_t image = 0, group = 0;
  Range blocks;                      // in the outputs of the group
  Range pixels;                      // in the output
  const int64_t* offsets = nullptr;  // the tiles of the chunk in order: [taps][points of the tile]

  // Splits the pixels into even tiles.
  int64_t tiles(int64_t points) const { return ceil_div(pixels.size(), points); }
  Range tile(int64_t index, const TileLimits& limits) const {
    return part_of(pixels.size(), index, tiles(limits.points), limits.grain);
  }
};

class DirectTasks {
 public:
  DirectTasks() = default;
  DirectTasks(const ConvGeometry& geometry, TileLimits limits, int64_t element_bytes);

  int64_t group_blocks() const { return group_blocks_; }  // number of output blocks in a group
  size_t scratch_bytes() const;                           // per thread
  // Calls run_chunk for chunks that together cover the output. `geometry` must be the one passed to the constructor.
  void run(const ConvGeometry& geometry, const KernelCall& call, FunctionRef<void(const DirectChunk&)> run_chunk) const;

 private:
  TileLimits limits_;
  int64_t chunk_tiles_ = 1;
  int64_t group_blocks_ = 0;
  int64_t taps_ = 0;
  int64_t element_bytes_ = 0;
};

}  // namespace nestrt::kernels
