// How Winograd's convolutions over blocked16 tensors cut their work, whatever their type. Tiles are taken in chunks:
// their inputs are transformed once, into memory that all threads share and the second-level cache holds; then each
// block of outputs takes its matrix products, and transforms them back.
#pragma once

#include <cstdint>

#include "kernels/common/framework/split.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/geometry.h"
#include "kernels/conv/winograd/winograd.h"
#include "kernels/conv/winograd/winograd_tiles.h"
#include "nestrt/driver/function_ref.h"

namespace nestrt::kernels {

// Of a Cortex-A53, in cycles; the memory gives 64 bytes in 22.
struct WinogradCosts {
  double direct_product;  // of a direct convolution
  double product;
  double direct_weight;  // to come from memory
  double weight;
  double element;  // transformed; a tile has 16 inputs and outputs
  int64_t least_tiles;
};

// Whether it is a convolution of 3 x 3 with the shape's stride and without groups, of which the transforms and the
// transformed weights cost less than the products that they spare.
bool winograd_pays(const ConvGeometry& geometry, const WinogradCosts& costs, const WinogradShape& shape);

// `before` and `tiles`: of each class of positions, the tiles before the chunk and in it that have them.
struct WinogradChunk : Range {
  WinogradCounts before, tiles;
};

// An item of the transform: of one tile, 16 input channels.
struct WinogradItem {
  const WinogradChunk& chunk;
  WinogradTile tile;
  WinogradTile next;  // the tile of the item after it; the last one of a chunk's block has the first one of that block
  int64_t block = 0;
  int64_t in_chunk() const { return tile.index - chunk.first; }
};

// Products of some tiles with the weights of some blocks of 16 outputs.
struct WinogradProducts {
  const WinogradChunk& chunk;
  Range tiles, blocks;
  int slot = 0;  // the thread's
};

class WinogradTasks {
 public:
  // `grain`: tiles that are multiplied together. `element_bytes`: those of a transformed input.
  WinogradTasks(const ConvGeometry& geometry, int64_t grain, int64_t element_bytes, const WinogradShape& shape);

  int64_t chunk_tiles() const { return chunk_tiles_; }  // at most, a multiple of the grain
  const WinogradTiles& tiles() const { return tiles_; }
  // What a tile reads of a block of 16 channels of the convolution's input.
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
  // Calls transform for all items of a chunk, then multiply for all its products, chunk after chunk. `geometry` as the
  // constructor had it.
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
