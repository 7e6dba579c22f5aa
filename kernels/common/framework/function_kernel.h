// A kernel made of one function object, which holds what prepare() computed.
#pragma once

#include <memory>
#include <utility>

#include "nestrt/driver/kernel.h"

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

// For prepare(): return make_kernel([parameters](const KernelCall& call) { ... });
template <typename Run>
Result<std::unique_ptr<Kernel>> make_kernel(Run run, ScratchSize scratch = {}) {
  return std::unique_ptr<Kernel>(std::make_unique<FunctionKernel<Run>>(std::move(run), scratch));
}

}  // namespace nestrt::kernels
