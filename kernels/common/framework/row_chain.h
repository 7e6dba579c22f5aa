// RowChain: kernels of which each reads the output of the one before, taken in turns of a few rows. What is between
// them is never whole: of each tensor a thread keeps the rows that the next kernel still reads, in its scratch, where
// they stay in a cache. The bits are those of the kernels one after the other.
#pragma once

#include <span>
#include <vector>

#include "nestrt/driver/row_kernel.h"

namespace nestrt::kernels {

class RowChain {
 public:
  static constexpr size_t kMaxKernels = 6;

  struct Call {
    const std::byte* input = nullptr;     // of the first kernel
    const std::byte* residual = nullptr;  // of the last, or null
    std::byte* between = nullptr;         // the first kernel's output: nothing is said of what it holds afterwards
    std::byte* output = nullptr;          // of the last
    std::byte* thread_scratch = nullptr;
    ParallelRunner* parallel = nullptr;
  };

  // How many of the kernels, from the first on, are worth taking in turns: each fits the one before, what is between
  // them is more than a cache holds, and some rows of it are not. 0, or 2 and more.
  static size_t worth(std::span<const RowKernel* const> kernels, int threads);

  // Kernels that fit, 2 to kMaxKernels; they outlive this.
  // `threads`: as many as may run it, at most.
  RowChain(std::vector<const RowKernel*> kernels, int threads);

  size_t scratch_per_thread() const { return scratch_; }  // the largest size_t where no machine has as much
  // Bytes that are not written to memory, nor read there.
  int64_t bytes_between() const;
  // Whether the operands lie so that it can run: the output may take the place of the input, if what is between them
  // has room for it.
  bool takes(const Call& call) const;
  // Requires: takes(call).
  void run(const Call& call) const;

 private:
  // What a thread keeps of the output of a kernel.
  struct Window {
    int64_t capacity = 0;  // rows
    size_t offset = 0;     // in scratch
  };
  // The rows of it that are there, of one image.
  struct Kept {
    int64_t first = 0, last = 0;
  };
  class Part;

  bool is_in_the_way(const Call& call) const;

  std::vector<const RowKernel*> kernels_;
  std::vector<Window> windows_;  // of all kernels but the last
  int64_t turn_rows_ = 1;        // of the output, at a time
  size_t kernel_scratch_ = 0;    // the offset of what kernels use
  size_t scratch_ = 0;
};

}  // namespace nestrt::kernels
