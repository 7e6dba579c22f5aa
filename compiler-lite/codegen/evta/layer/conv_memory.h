// SPDX-License-Identifier: Apache-2.0
// ConvMemory: how a tiling divides the on-chip memories, in elements. It determines which tilings are legal.
//
//   INP  slots, each with the input of one tile and one chunk of input blocks, or a part of the residual
//   WGT  identity weights if needed, then slots, each with the weights of one tile's outputs and one chunk
//   ACC  vectors (biases, shifts; one element per output block), then slots, each with one tile, then a copy of a tile
//        if the layer rounds half to even. OUT uses the same indices
//
// There is one slot per thread of the tiling, or one per chunk if all chunks fit. In that case nothing is loaded twice.
#pragma once

#include <cstdint>

#include "compiler-lite/codegen/evta/layer/layer_shape.h"
#include "compiler-lite/codegen/evta/layer/tiling.h"

namespace nestrt::compiler::evta {

struct Slots {
  int64_t base = 0;
  int64_t size = 0;
  int64_t count = 1;

  int64_t at(int64_t index) const { return base + index * size; }
};

struct ConvMemory {
  Slots inp, wgt, acc;
  int64_t copy = 0;           // first accumulator of the copy of a tile
  int64_t identities = 0;     // number of identity weights: the residual's, then the layer's
  bool vectors_stay = true;   // true if all output blocks' vectors are on chip, false if one tile's
  int64_t vector_blocks = 0;  // blocks of one vector on chip
};

// Returns how many times a tile of `tile_elements` elements is computed, into consecutive accumulators, to keep the
// hazard distance.
int64_t copies_of(int64_t tile_elements);

// Returns the tiling with tiles clamped to the layer. Errors: kInvalidArgument if a value is not positive.
Result<Tiling> limited(const LayerShape& shape, Tiling tiling);

// Data that a layer keeps on chip in addition to its tiles.
struct ConvExtras {
  int num_vectors = 0;
  bool residual = false;
  bool copies_tile = false;
};

// `tiling` must come from limited(). Errors: kUnsupported, naming the memory, if the tiling does not fit.
Result<ConvMemory> divide_memory(const nestrt::evta::Configuration& configuration, const LayerShape& shape,
                                 const Tiling& tiling, const ConvExtras& extras);

}  // namespace nestrt::compiler::evta
