// SPDX-License-Identifier: Apache-2.0
// A kernel that consists of one function object, which holds the state computed by prepare().
#pragma once

#include <memory>
#include <utility>

#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

template <typename Run>
class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(Run run, ScratchSize scratch) : run_(std::move(run)), scratch_(scratch) {}
  void run(const KernelCall& call) const override { run_(call); }
  ScratchSize scratch(int) const override { return scratch_; }

 private:
  Run run_;
  ScratchSize scratch_;
};

// Usage in prepare(): return make_kernel([parameters](const KernelCall& call) { ... });
template <typename Run>
Result<std::unique_ptr<Kernel>> make_kernel(Run run, ScratchSize scratch = {}) {
  return std::unique_ptr<Kernel>(std::make_unique<FunctionKernel<Run>>(std::move(run), scratch));
}

}  // namespace nestrt::kernels
