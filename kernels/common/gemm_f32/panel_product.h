// SPDX-License-Identifier: Apache-2.0
// Product of a matrix and packed panels, computed in register tiles: the core of Dense and MatMul.
#pragma once

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

struct PanelProduct {
  const float* a = nullptr;       // [rows][inner]
  const float* panels = nullptr;  // [inner][columns] in Packing::kPanel16
  const float* bias = nullptr;    // one value per column, padded to a multiple of 16; or null
  float* y = nullptr;             // rows of `stride` floats
  int64_t inner = 0;
  int64_t columns = 0;
  int64_t stride = 0;
  Activation activation;
};

// Computes the given rows and panels (blocks of 16 columns) of the product.
void run_panels(const PanelProduct& product, Tile16Function tile_function, const TileLimits& limits, Range rows,
                Range panels);

}  // namespace nestrt::kernels
