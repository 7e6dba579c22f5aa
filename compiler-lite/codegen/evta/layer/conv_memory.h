// ConvMemory: how a tiling divides the on-chip memories; in elements. It says which tilings are legal.
//
//   INP  slots, each with the input of one tile and one chunk of input blocks, or a part of the residual
//   WGT  identity weights where there are any, then slots, each with the weights of one tile's outputs and one chunk
//   ACC  vectors (biases, shifts; one element per output block), then slots, each with one tile. OUT has the same
//   indices
//
// There are as many slots as the tiling has threads, or one for each chunk where all fit: then nothing is loaded
// twice.
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
  int64_t identities = 0;     // identity weights: that of the residual, then that of the layer
  bool vectors_stay = true;   // those of all output blocks are on chip; else those of one tile
  int64_t vector_blocks = 0;  // that one vector has on chip
};

// How often a tile of so few elements is computed, into neighbouring accumulators, to keep the hazard distance.
int64_t copies_of(int64_t tile_elements);

// The tiling with its tiles cut down to the layer. Errors: kInvalidArgument for what is not positive.
Result<Tiling> limited(const LayerShape& shape, Tiling tiling);

// Requires limited(). Errors: kUnsupported where the tiling does not fit, with the memory.
Result<ConvMemory> divide_memory(const nestrt::evta::Configuration& configuration, const LayerShape& shape,
                                 const Tiling& tiling, int num_vectors, bool residual);

}  // namespace nestrt::compiler::evta
