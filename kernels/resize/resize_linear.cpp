// SPDX-License-Identifier: Apache-2.0
// Linear interpolation along two axes: images [N, C, H, W], plain or blocked16.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/resize_linear.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/simd/simd.h"
#include "kernels/resize/resize.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Computes one output row of pixels with 16 channels from two weighted input rows, the ones above and below it.
void linear_row16(const float* top, const float* bottom, float top_weight, float bottom_weight, const int32_t* indices,
                  const float* weights, int64_t width, float* to) {
  constexpr int64_t kBlock = 16;
  const hn::CappedTag<float, kBlock> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t x = 0; x < width; ++x, to += kBlock) {
    const int64_t left = indices[2 * x] * kBlock, right = indices[2 * x + 1] * kBlock;
    const auto top_left = hn::Set(d, top_weight * weights[2 * x]);
    const auto top_right = hn::Set(d, top_weight * weights[2 * x + 1]);
    const auto bottom_left = hn::Set(d, bottom_weight * weights[2 * x]);
    const auto bottom_right = hn::Set(d, bottom_weight * weights[2 * x + 1]);
    for (int64_t v = 0; v < kBlock; v += lanes) {
      auto sum = hn::Mul(top_left, hn::LoadU(d, top + left + v));
      sum = hn::MulAdd(top_right, hn::LoadU(d, top + right + v), sum);
      sum = hn::MulAdd(bottom_left, hn::LoadU(d, bottom + left + v), sum);
      sum = hn::MulAdd(bottom_right, hn::LoadU(d, bottom + right + v), sum);
      hn::StoreU(sum, d, to + v);
    }
  }
}

// Does the same for pixels with one channel.
void linear_row1(const float* top, const float* bottom, float top_weight, float bottom_weight, const int32_t* indices,
                 const float* weights, int64_t width, float* to) {
  for (int64_t x = 0; x < width; ++x) {
    const int32_t left = indices[2 * x], right = indices[2 * x + 1];
    const float left_value = top_weight * top[left] + bottom_weight * bottom[left];
    const float right_value = top_weight * top[right] + bottom_weight * bottom[right];
    to[x] = weights[2 * x] * left_value + weights[2 * x + 1] * right_value;
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(linear_row16)
NESTRT_SIMD_EXPORT(linear_row1)

bool accepts_resize_linear(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  const ops::Resize& resize = *spec.as<ops::Resize>();
  if (resize.mode != ops::ResizeMode::kLinear || input.type != DataType::kF32 || input.layout != output.layout ||
      input.layout == Layout::kBlocked32 || input.packing != Packing::kNone || input.shape.rank() != 4 ||
      resize.coordinate == ops::CoordinateMode::kTfCropAndResize || output.shape.num_elements() == 0 ||
      !resize_copies_channels(spec))
    return false;
  // A copied axis has no taps to blend.
  const std::vector<ResizeAxis> axes = resize_axes(spec);
  return !axes[2].copied() && !axes[3].copied();
}

Result<std::unique_ptr<Kernel>> prepare_resize_linear(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const int64_t block = block_size(spec.inputs[0].layout);
  const int64_t planes = shape[0] * ceil_div(shape[1], block);
  const std::vector<ResizeAxis> axes = resize_axes(spec);
  return make_kernel([planes, block, y = axes[2], x = axes[3]](const KernelCall& call) {
    const auto row16 = simd_pick(linear_row16_table), row1 = simd_pick(linear_row1_table);
    const auto linear_row = block == 1 ? row1 : row16;
    const int64_t width = x.output * block;
    parallel_ranges(*call.parallel, planes * y.output, width, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        const auto tap = static_cast<size_t>(row % y.output * 2);
        const float* plane = call.input<float>(0) + row / y.output * y.input * x.input * block;
        linear_row(plane + y.indices[tap] * x.input * block, plane + y.indices[tap + 1] * x.input * block,
                   y.weights[tap], y.weights[tap + 1], x.indices.data(), x.weights.data(), x.output,
                   call.output<float>(0) + row * width);
      }
    });
  });
}

}  // namespace nestrt::kernels
#endif
