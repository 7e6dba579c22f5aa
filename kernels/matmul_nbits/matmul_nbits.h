// SPDX-License-Identifier: Apache-2.0
// MatMulNBits: f32 rows times a matrix of packed 2-bit, 4-bit or 8-bit integers with a scale per block. See
// ops::MatMulNBits for the definition and the order of the weights.
//
// Variants (plain layout):
//   matmul_nbits.panel16    few rows: multiplies the integers as they are stored; more rows: converts a few panels to
//                           floats in scratch and multiplies all rows with them
//   matmul_nbits.reference
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/framework/split.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

enum class NBitsZeros : uint8_t { kMiddle, kU8, kF32 };

// The matrix and the shape of a product.
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
  // Returns the zero point of a column of a panel in a block.
  float zero_point(int64_t panel_block, int64_t column) const;
};

inline constexpr int64_t kNBitsFewRows = 3;

// Vector functions for the current instruction set.
struct NBitsFunctions {
  // Computes the product of all rows, at most kNBitsFewRows, with a range of panels.
  void (*multiply)(const NBitsProduct& product, Range panels);
  // Writes a panel as floats [inner][16].
  void (*unpack)(const NBitsProduct& product, int64_t panel, float* to);
};
NBitsFunctions nbits_functions();

// Checks the operator completely. The operands' addresses are those of constants; null for x and y.
Result<NBitsProduct> nbits_product(const OperatorSpec& spec);

// The variants.
Result<std::unique_ptr<Kernel>> prepare_matmul_nbits_reference(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_matmul_nbits_panel16(const OperatorSpec& spec);

}  // namespace nestrt::kernels
