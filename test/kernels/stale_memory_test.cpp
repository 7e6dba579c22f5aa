// SPDX-License-Identifier: Apache-2.0
// Tests that the kernel test harness detects kernels that depend on previous contents of memory.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

// The faults that can be injected into a kernel that computes y = x for one pixel of 20 channels in blocks of 16.
enum class Fault { kNone, kLeavesLastUnwritten, kReadsScratch, kReadsPadding, kReadsAllocation };

constexpr size_t kElements = 20, kLast = kElements - 1, kStored = 32;

template <Fault kFault>
class Copy final : public Kernel {
 public:
  ScratchSize scratch(int) const override { return {.shared = sizeof(float), .per_thread = sizeof(float)}; }
  void run(const KernelCall& call) const override {
    const float* const x = call.input<float>(0);
    auto* const y = call.output<float>(0);
    std::copy_n(x, kFault == Fault::kLeavesLastUnwritten ? kLast : kElements, y);
    if (kFault == Fault::kReadsScratch) std::memcpy(&y[kLast], call.slot_scratch<float>(0, sizeof(float)), sizeof *y);
    if (kFault == Fault::kReadsPadding) std::memcpy(&y[kLast], &x[kElements], sizeof *y);
    if (kFault == Fault::kReadsAllocation) std::memcpy(&y[kLast], own_.get(), sizeof *y);
  }

 private:
  const std::unique_ptr<float[]> own_ = std::unique_ptr<float[]>(new float[kStored]);
};

template <Fault kFault>
KernelVariant variant() {
  KernelVariant result;
  result.name = "copy";
  result.prepare = [](const OperatorSpec&) -> Result<std::unique_ptr<Kernel>> {
    return std::unique_ptr<Kernel>(std::make_unique<Copy<kFault>>());
  };
  return result;
}

template <Fault kFault>
bool is_caught() {
  ops::Unary attributes;
  attributes.kind = ops::UnaryKind::kRelu;
  OperatorCase c(attributes);
  c.input(with_layout(counting({1, kElements, 1, 1}), Layout::kBlocked16));
  c.output(DataType::kF32, {1, kElements, 1, 1}, Layout::kBlocked16);
  return !same_elements(c.run_over(Stale::kZeros, variant<kFault>()), c.run_over(Stale::kNans, variant<kFault>()));
}

TEST_CASE("A kernel that depends on previous contents of any memory is detected") {
  CHECK_FALSE(is_caught<Fault::kNone>());
  CHECK(is_caught<Fault::kLeavesLastUnwritten>());
  CHECK(is_caught<Fault::kReadsScratch>());
  CHECK(is_caught<Fault::kReadsPadding>());
  CHECK(is_caught<Fault::kReadsAllocation>());
}

}  // namespace
}  // namespace nestrt::test
