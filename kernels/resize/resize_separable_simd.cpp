// SPDX-License-Identifier: Apache-2.0
// Linear and cubic interpolation along any axes of plain tensors, one axis at a time. Axes that shrink most are first,
// so that intermediate tensors are small.
#include <algorithm>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/math/saturate.h"
#include "kernels/resize/resize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/resize_separable_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

// The loops use no intrinsics, because the compiler vectorizes them.

// y = the weighted sum of two or four rows of x. Rows are `row` elements apart; `count` elements are computed.
void blend_rows(const float* x, int64_t row, const int32_t* indices, const float* weights, int taps, float* y,
                int64_t count) {
  const float *a = x + indices[0] * row, *b = x + indices[1] * row;
  const float wa = weights[0], wb = weights[1];
  if (taps == 2) {
    for (int64_t i = 0; i < count; ++i) y[i] = wa * a[i] + wb * b[i];
    return;
  }
  const float *c = x + indices[2] * row, *d = x + indices[3] * row;
  const float wc = weights[2], wd = weights[3];
  for (int64_t i = 0; i < count; ++i) y[i] = (wa * a[i] + wb * b[i]) + (wc * c[i] + wd * d[i]);
}

// y[i] = the weighted sum of two or four elements of x, for a row of single elements.
void blend_elements(const float* x, const int32_t* indices, const float* weights, int taps, float* y, int64_t count) {
  if (taps == 2) {
    for (int64_t i = 0; i < count; ++i)
      y[i] = weights[2 * i] * x[indices[2 * i]] + weights[2 * i + 1] * x[indices[2 * i + 1]];
    return;
  }
  for (int64_t i = 0; i < count; ++i, indices += 4, weights += 4)
    y[i] = (weights[0] * x[indices[0]] + weights[1] * x[indices[1]]) +
           (weights[2] * x[indices[2]] + weights[3] * x[indices[3]]);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(blend_rows)
NESTRT_SIMD_EXPORT(blend_elements)

namespace {

// Resizes one axis of a tensor whose previous axes in the order have been resized: [outer][input][inner] to
// [outer][output][inner].
struct AxisStep {
  ResizeAxis axis;
  int64_t outer = 1, inner = 1;

  int64_t output_elements() const { return outer * axis.output * inner; }
};

std::vector<AxisStep> axis_steps(const OperatorSpec& spec) {
  const std::vector<ResizeAxis> axes = resize_axes(spec);
  std::vector<size_t> order;
  for (size_t i = 0; i < axes.size(); ++i)
    if (!axes[i].copied()) order.push_back(i);
  // On a tie the innermost axis comes first: the others are processed in vectors, while the tensor is large.
  std::ranges::sort(order, [&](size_t a, size_t b) {
    const int64_t left = axes[a].output * axes[b].input, right = axes[b].output * axes[a].input;
    return left < right || (left == right && a > b);
  });
  Shape shape = spec.inputs[0].shape;
  std::vector<AxisStep> steps;
  for (size_t i : order) {
    const int at = static_cast<int>(i);
    steps.push_back({axes[i], shape.product(0, at), shape.product(at + 1, shape.rank())});
    shape[at] = axes[i].output;
  }
  return steps;
}

class SeparableResize final : public Kernel {
 public:
  explicit SeparableResize(const OperatorSpec& spec)
      : steps_(axis_steps(spec)), rows_(simd_pick(blend_rows_table)), elements_(simd_pick(blend_elements_table)) {
    for (size_t i = 0; i + 1 < steps_.size(); ++i) largest_ = std::max(largest_, steps_[i].output_elements());
  }

  // Returns the size of the intermediate tensors. At most two are needed, which are used alternately.
  ScratchSize scratch(int) const override {
    const int64_t buffers = static_cast<int64_t>(std::min<size_t>(2, steps_.size() - 1));
    return {.shared = saturated_bytes(buffers, largest_, sizeof(float))};
  }

  void run(const KernelCall& call) const override {
    const float* from = call.input<float>(0);
    for (size_t i = 0; i < steps_.size(); ++i) {
      auto* const buffer = reinterpret_cast<float*>(call.shared_scratch) + (i % 2 == 0 ? 0 : largest_);
      float* const to = i + 1 == steps_.size() ? call.output<float>(0) : buffer;
      run_step(steps_[i], from, to, *call.parallel);
      from = to;
    }
  }

 private:
  void run_step(const AxisStep& step, const float* x, float* y, ParallelRunner& runner) const {
    const ResizeAxis& axis = step.axis;
    const int64_t inner = step.inner, taps = axis.taps;
    if (inner == 1) {
      parallel_ranges(runner, step.outer, axis.output * taps, [&](int64_t first, int64_t last) {
        for (int64_t row = first; row < last; ++row)
          elements_(x + row * axis.input, axis.indices.data(), axis.weights.data(), axis.taps, y + row * axis.output,
                    axis.output);
      });
      return;
    }
    parallel_ranges(runner, step.outer * axis.output, inner * taps, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        const auto tap = static_cast<size_t>(row % axis.output * taps);
        rows_(x + row / axis.output * axis.input * inner, inner, axis.indices.data() + tap, axis.weights.data() + tap,
              axis.taps, y + row * inner, inner);
      }
    });
  }

  std::vector<AxisStep> steps_;
  decltype(simd_pick(blend_rows_table)) rows_;
  decltype(simd_pick(blend_elements_table)) elements_;
  int64_t largest_ = 0;  // elements of an intermediate tensor
};

}  // namespace

bool accepts_resize_separable(const OperatorSpec& spec) {
  const ops::Resize& resize = *spec.as<ops::Resize>();
  if (!is_plain(spec) || resize.mode == ops::ResizeMode::kNearest || spec.inputs[0].type != DataType::kF32 ||
      resize.coordinate == ops::CoordinateMode::kTfCropAndResize || spec.outputs[0].shape.num_elements() == 0)
    return false;
  return std::ranges::any_of(resize_axes(spec), [](const ResizeAxis& axis) { return !axis.copied(); });
}

Result<std::unique_ptr<Kernel>> prepare_resize_separable(const OperatorSpec& spec) {
  return std::unique_ptr<Kernel>(std::make_unique<SeparableResize>(spec));
}

}  // namespace nestrt::kernels
#endif
