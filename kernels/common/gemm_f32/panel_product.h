// SPDX-License-Identifier: Apache-2.0
// Product of a matrix and packed panels, computed in register tiles: the core of Dense and MatMul.
#pragma once

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_f32/tile16.h"

namespace nestrt::kernels {

struct PanelProduct {
  const float* a = nullptr;       // [rows][inner]
  const float* panels = nullptr;  // [inner][columns] in Packing::kPanel16, or unpacked
  const float* bias = nullptr;    // one value per column, padded to a multiple of 16; or null
  float* y = nullptr;             // rows of `stride` floats
  int64_t inner = 0;
  int64_t columns = 0;
  int64_t stride = 0;
  // Floats per row of an unpacked matrix; 0 if the matrix is packed. An unpacked matrix requires at most
  // TileLimits::unpacked_points rows, and whole panels.
  int64_t unpacked_stride = 0;
  Activation activation;
};

// Returns the number of parts into which to split the panels of a product. With few rows, reading the matrix takes
// longer than multiplying.
int64_t panel_tasks(int64_t rows, int64_t inner, int64_t columns, int threads);

// Packs columns of a matrix, whose rows are `stride` floats apart, as [panels][inner][16]. Lanes past the last column
// are set to zero.
void pack_panels(const float* matrix, int64_t stride, int64_t inner, int64_t columns, float* packed);

// Computes the given rows and panels (blocks of 16 columns) of the product.
void run_panels(const PanelProduct& product, Tile16Function tile_function, const TileLimits& limits, Range rows,
                Range panels);

}  // namespace nestrt::kernels
