// SPDX-License-Identifier: Apache-2.0
// PoolRows: pooling from blocked16 to blocked16, for whole tensors or by rows (runtime/kernel/row_kernel.h).
#pragma once

#include "kernels/common/layout/window_rows.h"
#include "kernels/pool/pool.h"

namespace nestrt::kernels {

class PoolRows : public Kernel, public WindowRows {
 public:
  // `input`: the shape of the input tensor.
  PoolRows(const Shape& input, const PoolParameters& pool, int64_t element_bytes);

  void run(const KernelCall& call) const final;
  const RowKernel* by_rows() const final;
  size_t row_scratch(int64_t) const final { return 0; }
  void run_rows(const RowCall& call) const final;

 protected:
  const PoolParameters& pool() const { return pool_; }
  // Computes a row of outputs for one block of channels, given the windows along depth and height.
  virtual void run_row(const std::byte* block, const PoolWindow& depth, const PoolWindow& height,
                       std::byte* to) const = 0;

 private:
  PoolParameters pool_;
};

}  // namespace nestrt::kernels
