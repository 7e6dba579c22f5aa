// SPDX-License-Identifier: Apache-2.0
// The f32 register tile of plain convolutions: vectors of adjacent outputs, by output channels.
//
// For each reduction element, adjacent outputs read adjacent inputs, at the same shift for all outputs. The inputs need
// no panels, so the tile is efficient for any number of output channels. Each sum starts with its bias and adds
// weights[i] * input[shifts[i]] in order. Results therefore do not depend on how the work is split into tiles.
#pragma once

#include <cstdint>

#include "kernels/common/math/activation.h"

namespace nestrt::kernels {

// Tiles read inputs and write outputs in multiples of this number of columns.
inline constexpr int64_t kShiftColumns = 16;

// Maximum value of ShiftFunctions::points over all instruction sets.
inline constexpr int64_t kMaxShiftPoints = 12;

struct ShiftTile {
  int64_t points = 0;   // output channels, 1 to ShiftFunctions::points
  int64_t columns = 0;  // adjacent outputs; the last ones up to a multiple of kShiftColumns are unspecified
  const float* input = nullptr;
  const int64_t* shifts = nullptr;  // shift of each element in the input of the first column
  int64_t length = 0;               // number of elements per sum
  const float* weights = nullptr;   // [length][points]
  const float* bias = nullptr;      // one per point, or null
  float* output = nullptr;          // [points][point_stride]
  int64_t point_stride = 0;
};

// Computes outputs from sums: y = activation(sum + residual).
struct FinishedRow {
  const float* sums = nullptr;
  const float* residual = nullptr;  // residual of each output, or null
  float* output = nullptr;
  int64_t count = 0;
};

// Interleaves rows: to[i * num_rows + r] = rows[r][i]. Accesses a multiple of kShiftColumns columns.
struct InterleavedRows {
  const float* const* rows = nullptr;
  int64_t num_rows = 0;
  int64_t columns = 0;
  float* to = nullptr;
};

// The functions for one instruction set.
struct ShiftFunctions {
  void (*tile)(const ShiftTile& tile);
  void (*finish)(const Activation& activation, const FinishedRow& row);
  void (*interleave)(const InterleavedRows& rows);
  // to[i] = from[i * stride]
  void (*take_every)(const float* from, int64_t stride, int64_t count, float* to);
  int64_t points;  // the largest number of points of a tile
};
// Returns the functions for the current instruction set.
ShiftFunctions shift_functions();

}  // namespace nestrt::kernels
