// SPDX-License-Identifier: Apache-2.0
// Estimates the cycles of a convolution.
#pragma once

#include "compiler-lite/codegen/evta/layer/conv_memory.h"
#include "compiler-lite/codegen/evta/layer/finish.h"
#include "compiler-lite/codegen/evta/layer/layer_generator.h"

namespace nestrt::compiler::evta {

// Inputs of the estimate that do not depend on the tiling.
struct ConvWork {
  const isa::Configuration& configuration;
  const isa::CycleProfile& profile;
  const LayerShape& shape;
  const Finish& finish;
  bool residual = false;
};

// `tiling` must come from limited(), and the memory must belong to it.
CycleEstimate estimate_conv(const ConvWork& work, const Tiling& tiling, const ConvMemory& memory);

}  // namespace nestrt::compiler::evta
