// SPDX-License-Identifier: Apache-2.0
// RowKernel: a kernel that can also compute a subset of its output rows from a subset of its input rows. This allows
// row fusion: consecutive kernels alternate after a few rows each, so that intermediate data stays in cache
// (kernels/common/framework/row_fusion.h).
//
// Input 0 and the output are images in blocks of 16 channels (Layout::kBlocked16): [images][blocks][rows][bytes of a
// row]. A plain input is treated as blocks of one channel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernel/kernel.h"

namespace nestrt {

struct RowImages {
  int64_t images = 0;
  int64_t blocks = 0;
  int64_t rows = 0;
  int64_t row_bytes = 0;  // of a block

  int64_t block_bytes() const { return rows * row_bytes; }
  int64_t image_bytes() const { return blocks * block_bytes(); }
  bool operator==(const RowImages&) const = default;
};

struct RowCall {
  RowWindow rows;                       // output rows of one image, at least one
  std::byte* output = nullptr;          // first row of the first block
  const std::byte* residual = nullptr;  // first row of the first block, or null
  int64_t output_block_bytes = 0;       // stride between blocks of the output and of the residual
  // Available input rows of the same image; must include input_rows().
  RowWindow input_rows;
  const std::byte* input = nullptr;
  int64_t input_block_bytes = 0;
  std::byte* scratch = nullptr;  // row_scratch() bytes, aligned to 64
};

class RowKernel {
 public:
  virtual RowImages row_input() const = 0;
  virtual RowImages row_output() const = 0;
  // Returns the maximum number of input rows that `rows` output rows read; saturated.
  virtual int64_t max_input_rows(int64_t rows) const = 0;
  // Returns the existing input rows that the given output rows read.
  virtual RowWindow input_rows(RowWindow rows) const = 0;
  virtual size_t row_scratch(int64_t rows) const = 0;
  // Computes results bit-identical to run(), on the calling thread.
  virtual void run_rows(const RowCall& call) const = 0;

 protected:
  ~RowKernel() = default;
};

}  // namespace nestrt
