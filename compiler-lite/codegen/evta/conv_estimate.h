// The estimate of a convolution's cycles.
#pragma once

#include "compiler-lite/codegen/evta/conv_memory.h"
#include "compiler-lite/codegen/evta/finish.h"
#include "compiler-lite/codegen/evta/layer_generator.h"

namespace nestrt::compiler::evta {

struct ConvCosts {
  int64_t per_output = 0;  // cycles of the compute module for each element, besides the products
  int64_t steps = 0;       // instructions that finish a tile
  bool residual = false;
};

// ConvCosts::per_output.
int64_t finish_cost(const Finish& finish, bool residual);

// Requires a limited() tiling and its memory.
CycleEstimate estimate_conv(const isa::Configuration& configuration, const LayerShape& shape, const ConvCosts& costs,
                            const Tiling& tiling, const ConvMemory& memory, int bus_bytes);

}  // namespace nestrt::compiler::evta
