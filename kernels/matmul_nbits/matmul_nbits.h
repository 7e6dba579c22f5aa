// SPDX-License-Identifier: Apache-2.0
// MatMulNBits: product of f32 rows and a matrix of packed 2-bit, 4-bit or 8-bit integers with one scale per block. See
// ops::MatMulNBits for the definition and the order of the weights.
//
// Variants (plain layout):
//   matmul_nbits.panel16    for few rows, multiplies the integers as stored; otherwise converts a few panels at a time
//                           to floats in scratch and multiplies all rows with them
//   matmul_nbits.reference
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/framework/split.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

enum class NBitsZeros : uint8_t { kMiddle, kU8, kF32 };

// The operands and dimensions of a product.
struct NBitsProduct {
  int bits = 4;
  int64_t block = 0;
  int64_t rows = 0, inner = 0, columns = 0;
  NBitsZeros zeros = NBitsZeros::kMiddle;
  const uint8_t* weights = nullptr;
  const float* scales = nullptr;
  const std::byte* zero_points = nullptr;
  const float* bias = nullptr;  // or null
  const float* x = nullptr;
  const float* block_sums = nullptr;  // [rows][blocks()]: sums of x
  float* y = nullptr;

  int64_t blocks() const { return (inner + block - 1) / block; }
  int64_t block_bytes() const { return block * bits / 8 * 16; }
  // Returns the zero point of a column. `panel_block`: the index of its block of weights, counted over all panels.
  float zero_point(int64_t panel_block, int64_t column) const;
};

inline constexpr int64_t kNBitsFewRows = 3;

// Vector functions for the current instruction set.
struct NBitsFunctions {
  // Multiplies all rows (at most kNBitsFewRows) with a range of panels.
  void (*multiply)(const NBitsProduct& product, Range panels);
  // Converts a panel to floats [inner][16].
  void (*unpack)(const NBitsProduct& product, int64_t panel, float* to);
};
NBitsFunctions nbits_functions();

// Fully validates the operator. Sets the addresses of constant operands; x and y are null.
Result<NBitsProduct> nbits_product(const OperatorSpec& spec);

// The variants.
Result<std::unique_ptr<Kernel>> prepare_matmul_nbits_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_matmul_nbits_panel16(const OperatorSpec& spec);

}  // namespace nestrt::kernels
