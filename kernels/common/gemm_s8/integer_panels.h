// SPDX-License-Identifier: Apache-2.0
// Products of rows and panels of 8-bit integers whose zero points and scales are known only when the kernel runs. The
// s8 tile (kernels/common/gemm_s8/s8_tile.h) computes the products; unsigned values are converted to s8 by subtracting
// 128.
//
// For s8 values a and b with s8 zero points za and zb, and K products per sum:
//   sum of (a - za)(b - zb) = sum of ab - za * (sum of b) - zb * (sum of a) + K * za * zb
#pragma once

#include <cstdint>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_s8/s8_tile.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/quantization/integer_operands.h"

namespace nestrt::kernels {

// Return the size in bytes of a row with `inner` elements, and of a panel.
constexpr int64_t integer_row_bytes(int64_t inner) { return round_up(inner, kTileBlock); }
constexpr int64_t integer_panel_bytes(int64_t inner) { return integer_row_bytes(inner) * kTileBlock; }

// The parameters of columns, padded to whole panels.
struct IntegerColumns {
  int32_t* start = nullptr;  // added to each sum
  int32_t* zero = nullptr;   // zero points of the weights in s8 ...
  bool has_zeros = false;    // ... of which one is not 0
  float* scale = nullptr;    // null: the results are s32
  float* bias = nullptr;     // the same

  static size_t bytes(int64_t columns) { return static_cast<size_t>(round_up(columns, kTileBlock)) * 16; }
  // Places the arrays in `memory`, which has bytes(columns) bytes.
  static IntegerColumns at(std::byte* memory, int64_t columns, bool is_scaled);
  // Reads the zero points, scales and bias of the call, for `columns` columns.
  void read(const IntegerOperands& operands, const KernelCall& call, int64_t columns);
  // Sets the scales to `factor` times `scales`, which has one element for all columns or, if `per_column`, one for
  // each.
  void set_scales(float factor, const float* scales, bool per_column, int64_t columns);
};

// Arguments of IntegerFunctions::finish for one tile.
struct IntegerFinish {
  const int32_t* sums = nullptr;      // [points][blocks * 16]
  const int32_t* row_sums = nullptr;  // by point; null: the zero points of the weights are 0
  int64_t points = 0;
  int64_t columns = 0;      // valid columns of the blocks
  int64_t sums_stride = 0;  // blocks * 16
  const int32_t* zero = nullptr;
  const float* scale = nullptr;  // null: the results are s32
  const float* bias = nullptr;
  void* output = nullptr;  // of s32 or f32
  int64_t output_stride = 0;
};

// The parameters of a row of constant weights, for products whose columns are activations.
struct IntegerRow {
  int32_t start = 0;  // added to each sum
  int32_t zero = 0;   // zero point of the weights in s8
  float scale = 0;
  float bias = 0;
};

// Arguments of IntegerFunctions::finish_rows for one tile, whose rows are weights.
struct IntegerRowFinish {
  const int32_t* sums = nullptr;         // [rows][sums_stride]
  const int32_t* column_sums = nullptr;  // null: the zero points of the weights are 0
  const IntegerRow* parameters = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t sums_stride = 0;
  bool is_scaled = false;
  void* output = nullptr;  // of s32 or f32
  int64_t output_stride = 0;
};

// Vector functions for the current instruction set.
struct IntegerFunctions {
  // Write the results of a tile.
  void (*finish)(const IntegerFinish& finish);
  void (*finish_rows)(const IntegerRowFinish& finish);
  // Transposes four rows of 16 bytes, `stride` bytes apart, to [16][4].
  void (*interleave)(const int8_t* rows, int64_t stride, int8_t* to);
  // Copies `count` bytes XORed with `flip` (0x80 converts u8 to s8). Returns the sum of the results as s8.
  int32_t (*copy_row)(const int8_t* from, uint8_t flip, int8_t* to, int64_t count);
  // Packs `columns` columns (at most 16) of a matrix as a panel. `from`: the first element; rows are `stride` bytes
  // apart. Writes the sums of 16 columns.
  void (*pack_panel)(const int8_t* from, int64_t stride, uint8_t flip, int64_t inner, int64_t columns, int8_t* panel,
                     int32_t* sums);
};
IntegerFunctions integer_functions();

// Consecutive rows of a product.
struct IntegerRows {
  const int8_t* rows = nullptr;       // integer_row_bytes(inner) each; bytes after `inner` are arbitrary
  const int32_t* row_sums = nullptr;  // by row; not read if IntegerColumns::has_zeros is false
  int64_t count = 0;
  void* output = nullptr;  // the first row's element in the first panel
  int64_t output_stride = 0;
};

// A product of constant rows and panels that were packed from activations.
struct IntegerPixels {
  const int8_t* rows = nullptr;  // integer_row_bytes(inner) each
  const int8_t* ones = nullptr;  // a row of IntegerPanels::one()
  const IntegerRow* parameters = nullptr;
  int64_t count = 0;  // of rows
  bool has_zeros = false;
  bool is_scaled = false;
  const int8_t* panels = nullptr;
  int64_t columns = 0;
  int32_t* column_sums = nullptr;  // scratch for whole panels
  int32_t* start = nullptr;        // the same
  void* output = nullptr;          // of s32 or f32
  int64_t output_stride = 0;
};

class IntegerPanels {
 public:
  // `weights`: constant panels, or empty if panels are packed in every run.
  IntegerPanels(int64_t inner, int64_t columns, std::span<const int8_t> weights = {});

  int64_t inner() const { return inner_; }
  int64_t columns() const { return columns_; }
  int64_t panels() const { return ceil_div(columns_, kTileBlock); }
  const TileLimits& limits() const { return tile_.limits; }
  const IntegerFunctions& functions() const { return functions_; }

  // Computes columns.start from the sums of the columns and the zero points. `input_zero`: the zero point of the input
  // in s8.
  void set_start(int32_t input_zero, const int32_t* column_sums, IntegerColumns& columns) const;
  // Writes the sums of 16 * panels() columns.
  void sum_columns(const int8_t* weights, int32_t* sums) const;
  // Multiplies rows with the given panels of `weights` [panels][integer_panel_bytes(inner)].
  void run(const IntegerRows& rows, const int8_t* weights, const IntegerColumns& columns, Range panels) const;

  // Returns the element value with which a constant row computes the sums of the columns.
  int8_t one() const { return static_cast<int8_t>(1 - tile_.input_offset); }
  // Multiplies all rows with all panels.
  void run(const IntegerPixels& product) const;

 private:
  void sum_panels(const IntegerPixels& product) const;

  int64_t inner_, columns_;
  S8TileKernel tile_;  // fixed by the constructor, so that a kernel stays on one instruction set
  IntegerFunctions functions_;
};

}  // namespace nestrt::kernels
