// SPDX-License-Identifier: Apache-2.0
// RowFusion: runs consecutive kernels a few rows at a time. Intermediate tensors are never materialized: each thread
// keeps only the rows that the next kernel still needs, in its scratch, so they stay in cache. The result is
// bit-identical to running the kernels one after another.
#pragma once

#include <span>
#include <vector>

#include "runtime/kernel/row_kernel.h"

namespace nestrt::kernels {

class RowFusion {
 public:
  static constexpr size_t kMaxKernels = 6;

  struct Call {
    const std::byte* input = nullptr;     // input of the first kernel
    const std::byte* residual = nullptr;  // residual of the last kernel, or null
    std::byte* between = nullptr;         // the output of the first kernel; its contents are unspecified afterwards
    std::byte* output = nullptr;          // output of the last kernel
    std::byte* thread_scratch = nullptr;
    ParallelRunner* parallel = nullptr;
  };

  // Returns how many kernels, starting with the first, are worth fusing: each accepts the output of the previous one,
  // the intermediate tensors exceed the cache, and their row windows fit in it. The result is 0 or at least 2.
  static size_t count_fusible(std::span<const RowKernel* const> kernels, int threads);

  // Fuses 2 to kMaxKernels compatible kernels, which must outlive this object. `threads`: the maximum number of threads
  // that run it.
  RowFusion(std::vector<const RowKernel*> kernels, int threads);

  size_t scratch_per_thread() const { return scratch_; }  // SIZE_MAX on overflow
  // Returns the size in bytes of the intermediate tensors that are never written to memory.
  int64_t intermediate_bytes() const;
  // Returns whether the operands do not conflict. The output may overlap the input if the intermediate buffer is large
  // enough to hold the output.
  bool supports(const Call& call) const;
  // Requires: supports(call).
  void run(const Call& call) const;

 private:
  // The rows of a kernel's output that a thread caches.
  struct Window {
    int64_t capacity = 0;  // rows
    size_t offset = 0;     // bytes, in scratch
  };
  // The range of valid rows of the current image.
  struct Kept {
    int64_t first = 0, last = 0;
  };
  class Part;

  bool overwrites_inputs(const Call& call) const;

  std::vector<const RowKernel*> kernels_;
  std::vector<Window> windows_;  // for all kernels except the last
  int64_t step_rows_ = 1;        // output rows per step
  size_t kernel_scratch_ = 0;    // offset of the kernels' scratch
  size_t scratch_ = 0;
};

}  // namespace nestrt::kernels
