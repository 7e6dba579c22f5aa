// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/layout/broadcast_runs.h"
#include "kernels/select/select.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/select/select_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

constexpr int64_t kSelected = 256;  // elements per chunk

// The loop uses no intrinsics, because the compiler vectorizes it. T represents any element type of the same size. The
// output may alias an operand if their positions match.
template <typename T>
void select_elements(const BroadcastRun<3>& run, std::byte* to) {
  const ChunkedOperand<uint8_t, kSelected> condition(run.from[0], run.steps[0], run.length);
  const ChunkedOperand<T, kSelected> a(run.from[1], run.steps[1], run.length);
  const ChunkedOperand<T, kSelected> b(run.from[2], run.steps[2], run.length);
  T* const y = reinterpret_cast<T*>(to);
  for (int64_t i = 0; i < run.length; i += kSelected) {
    const uint8_t* const chosen = condition.at(i);
    const T *x0 = a.at(i), *x1 = b.at(i);
    const int64_t count = HWY_MIN(kSelected, run.length - i);
#pragma GCC ivdep
    for (int64_t j = 0; j < count; ++j) {
      const T mask = static_cast<T>(T{0} - static_cast<T>(chosen[j] != 0 ? 1 : 0));
      y[i + j] = static_cast<T>((x0[j] & mask) | (x1[j] & ~mask));
    }
  }
}

}  // namespace

// Computes a run of the output, with elements of `width` bytes.
void select_run(int64_t width, const BroadcastRun<3>& run, std::byte* to) {
  if (width == 1) return select_elements<uint8_t>(run, to);
  if (width == 4) return select_elements<uint32_t>(run, to);
  return select_elements<uint64_t>(run, to);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(select_run)

Result<std::unique_ptr<Kernel>> prepare_select_simd(const OperatorSpec& spec) {
  const Shape& shape = spec.outputs[0].shape;
  const auto loop =
      make_broadcast_loop<3>(shape, {&spec.inputs[0].shape, &spec.inputs[1].shape, &spec.inputs[2].shape});
  const auto width = static_cast<int64_t>(size_bytes(spec.outputs[0].type));
  return make_kernel([loop, width, count = shape.num_elements(),
                      select = simd_pick(select_run_table)](const KernelCall& call) {
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for_each_long_run<3>(loop, {call.inputs[0], call.inputs[1], call.inputs[2]}, {1, width, width}, first, last,
                           [&](const BroadcastRun<3>& run) { select(width, run, call.outputs[0] + run.out * width); });
    });
  });
}

}  // namespace nestrt::kernels
#endif
