// SPDX-License-Identifier: Apache-2.0
// Splits the work of Winograd convolutions over blocked16 tensors of any type. Tiles are processed in chunks: the
// inputs of a chunk are transformed once, into memory that all threads share and that fits the second-level cache. Then
// the matrix products of each block of outputs are computed and transformed back.
#pragma once

#include <cstdint>

#include "kernels/common/framework/split.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/geometry.h"
#include "kernels/conv/winograd/winograd.h"
#include "kernels/conv/winograd/winograd_tiles.h"
#include "runtime/core/function_ref.h"

namespace nestrt::kernels {

// Costs on one core, in cycles.
struct WinogradCosts {
  double direct_product;  // cost of a product of a direct convolution
  double product;
  double direct_weight;  // cost of a weight of a direct convolution, read from memory
  double weight;
  double element;  // cost of transforming one element; a tile has 16 inputs and outputs
  int64_t min_tiles;
};

// Returns whether Winograd convolution is supported and faster. Requires a 3 x 3 kernel with the stride of the shape
// and no groups. The transforms and the transformed weights must cost less than the products that they save.
bool is_winograd_faster(const ConvGeometry& geometry, const WinogradCosts& costs, const WinogradShape& shape);

// A range of tiles. `before` and `tiles`: for each class of positions, the number of tiles before and in the chunk that
// have them.
struct WinogradChunk : Range {
  WinogradCounts before, tiles;
};

// A work item of the input transform: 16 input channels of one tile.
struct WinogradItem {
  const WinogradChunk& chunk;
  WinogradTile tile;
  WinogradTile next;  // tile of the next item; after the last tile of a chunk, the first one
  int64_t block = 0;
  int64_t in_chunk() const { return tile.index - chunk.first; }
};

// Products of some tiles with the weights of some blocks of 16 outputs.
struct WinogradProducts {
  const WinogradChunk& chunk;
  Range tiles, blocks;
  int slot = 0;  // slot of the thread
};

class WinogradTasks {
 public:
  // `grain`: the number of tiles multiplied together. `element_bytes`: the size of an element of the transformed input.
  WinogradTasks(const ConvGeometry& geometry, int64_t grain, int64_t element_bytes, const WinogradShape& shape);

  int64_t chunk_tiles() const { return chunk_tiles_; }  // maximum; a multiple of the grain
  const WinogradTiles& tiles() const { return tiles_; }
  // Returns the inputs that a tile reads from a block of 16 channels.
  template <typename T>
  WinogradWindow<T> window(const ConvGeometry& g, const T* input, const WinogradTile& tile, int64_t block,
                           T outside) const {
    const ConvAxis &h = g.axes[1], &w = g.axes[2];
    const int64_t plane = tile.image * ceil_div(g.in_channels, kTileBlock) + block;
    const int64_t step = tiles_.shape().tile * tiles_.shape().stride;
    return {input + plane * g.in_spatial() * kTileBlock,
            h.input,
            w.input,
            tile.row * step - h.pad_begin,
            tile.column * step - w.pad_begin,
            outside};
  }
  // For each chunk, calls transform for all of its items, then multiply for all of its products. `geometry` must be the
  // one passed to the constructor.
  void run(const ConvGeometry& geometry, const KernelCall& call, FunctionRef<void(const WinogradItem&)> transform,
           FunctionRef<void(const WinogradProducts&)> multiply) const;

 private:
  WinogradChunk chunk_of(Range tiles) const;
  void transform(const ConvGeometry& geometry, const KernelCall& call, const WinogradChunk& chunk,
                 FunctionRef<void(const WinogradItem&)> transform) const;
  void multiply(const ConvGeometry& geometry, const KernelCall& call, const WinogradChunk& chunk,
                FunctionRef<void(const WinogradProducts&)> multiply) const;

  WinogradTiles tiles_;
  int64_t chunk_tiles_ = 1;
  int64_t grain_ = 1;
};

}  // namespace nestrt::kernels
