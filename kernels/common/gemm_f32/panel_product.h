// SPDX-License-Identifier: Apache-2.0
// A matrix times packed panels on register tiles: the inner part of Dense and MatMul.
#pragma once

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

struct PanelProduct {
  const float* a = nullptr;       // [rows][inner]
  const float* panels = nullptr;  // Packing::kPanel16 of [inner][columns]
  const float* bias = nullptr;    // one per column, up to a multiple of 16; or null
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
