// SPDX-License-Identifier: Apache-2.0
// Vectorized across pixels for plain tensors and across channels for blocked ones. The window is summed separately for
// every channel, because a running sum would propagate NaN and rounding errors to all later channels.
#include <algorithm>
#include <cstdint>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/layout/window_rows.h"
#include "kernels/common/math/integers.h"
#include "kernels/local_response_norm/local_response_norm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/local_response_norm/local_response_norm_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/vector_math-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

#ifndef NESTRT_LOCAL_RESPONSE_NORM_WINDOW_
#define NESTRT_LOCAL_RESPONSE_NORM_WINDOW_
namespace nestrt::kernels {
namespace {

// The window of channel c is [c - before, c + after]; y = x / (bias + factor * sum)^beta.
struct NormWindow {
  int64_t before = 0;
  int64_t after = 0;
  float factor = 0;
  float bias = 0;
  float beta = 0;
};

// Limits of the stack buffer for the squares of one pixel of a blocked tensor, which has zeros on both sides.
constexpr int64_t kMaxChannels = 1024;
constexpr int64_t kMaxReach = 16;

}  // namespace
}  // namespace nestrt::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

// Returns x / base^beta. The common exponent 3/4 is computed as two square roots. Requires: base is positive or NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V normalized(D d, V x, V sum, const NormWindow& window) {
  const V base = hn::MulAdd(sum, hn::Set(d, window.factor), hn::Set(d, window.bias));
  if (window.beta == 0.75f) {
    const V root = hn::Sqrt(base);
    return hn::Div(x, hn::Mul(root, hn::Sqrt(root)));
  }
  const V power = simd_exp(d, hn::Mul(hn::Set(d, window.beta), simd_log_positive(d, base)));
  return hn::Div(x, hn::IfThenElse(hn::Eq(base, base), power, base));
}

template <class D, class Load>
HWY_INLINE hn::Vec<D> sum_of_squares(D d, int64_t first, int64_t last, const Load& load) {
  auto sum = hn::Zero(d);
  for (int64_t i = first; i <= last; ++i) {
    const auto v = load(i);
    sum = hn::MulAdd(v, v, sum);
  }
  return sum;
}

}  // namespace

// Normalizes `pixels` neighbouring pixels of all channels of a plain image; channels are `step` apart.
void normalize_pixels(const NormWindow& window, const float* x, float* y, int64_t channels, int64_t step,
                      int64_t pixels) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t first = HWY_MAX(int64_t{0}, c - window.before), last = HWY_MIN(channels - 1, c + window.after);
    int64_t p = 0;
    for (; p + lanes <= pixels; p += lanes) {
      const auto sum =
          sum_of_squares(d, first, last, [&](int64_t i) HWY_ATTR { return hn::LoadU(d, x + i * step + p); });
      hn::StoreU(normalized(d, hn::LoadU(d, x + c * step + p), sum, window), d, y + c * step + p);
    }
    if (p == pixels) continue;
    const int64_t rest = pixels - p;
    const auto load = [&](int64_t i) HWY_ATTR { return load_partial(d, x + i * step + p, rest); };
    const auto sum = sum_of_squares(d, first, last, load);
    store_partial(d, normalized(d, load(c), sum, window), y + c * step + p, rest);
  }
}

// Normalizes one pixel of a blocked16 image; blocks are `x_step` and `y_step` apart. Padding lanes count as zero.
void normalize_blocked(const NormWindow& window, const float* x, int64_t x_step, float* y, int64_t y_step,
                       int64_t channels) {
  const hn::CappedTag<float, 16> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), padded = (channels + 15) / 16 * 16;
  HWY_ALIGN float room[kMaxChannels + 2 * kMaxReach];
  float* squares = room + kMaxReach;
  for (int64_t c = 0; c < padded; c += lanes) {
    const auto v = hn::LoadU(d, x + c / 16 * x_step + c % 16);
    hn::StoreU(hn::Mul(v, v), d, squares + c);
  }
  for (int64_t i = 1; i <= kMaxReach; ++i) squares[-i] = 0;
  for (int64_t c = channels; c < padded + kMaxReach; ++c) squares[c] = 0;
  for (int64_t c = 0; c < padded; c += lanes) {
    auto sum = hn::Zero(d);
    for (int64_t i = -window.before; i <= window.after; ++i) sum = hn::Add(sum, hn::LoadU(d, squares + c + i));
    const auto v = hn::LoadU(d, x + c / 16 * x_step + c % 16);
    hn::StoreU(normalized(d, v, sum, window), d, y + c / 16 * y_step + c % 16);
  }
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(normalize_pixels)
NESTRT_SIMD_EXPORT(normalize_blocked)

namespace {

constexpr int64_t kBlock = 16;

NormWindow window_of(const OperatorSpec& spec) {
  const ops::LocalResponseNorm& p = *spec.as<ops::LocalResponseNorm>();
  return {(p.size - 1) / 2, p.size / 2, p.alpha / static_cast<float>(p.size), p.bias, p.beta};
}

// Returns whether the base of the power is always a positive, normal number.
bool has_positive_base(const OperatorSpec& spec) {
  const ops::LocalResponseNorm& p = *spec.as<ops::LocalResponseNorm>();
  return p.bias >= 1e-30f && p.alpha >= 0;
}

RowGeometry row_geometry(const Shape& shape) {
  const int64_t width = shape.rank() > 2 ? shape[shape.rank() - 1] : 1;
  const RowImages images{shape[0], ceil_div(shape[1], kBlock), shape.product(2, std::max(2, shape.rank() - 1)),
                         width * kBlock * int64_t{sizeof(float)}};
  return {images, images};
}

class BlockedNorm final : public Kernel, public WindowRows {
 public:
  explicit BlockedNorm(const OperatorSpec& spec)
      : WindowRows(row_geometry(spec.inputs[0].shape)),
        window_(window_of(spec)),
        channels_(spec.inputs[0].shape[1]),
        function_(simd_pick(normalize_blocked_table)) {}

  void run(const KernelCall& call) const override {
    const RowImages images = row_input();
    const int64_t spatial = images.rows * images.row_bytes / kPixelBytes, step = spatial * kBlock;
    parallel_ranges(*call.parallel, images.images * spatial, channels_, [&](int64_t first, int64_t last) {
      for (int64_t pixel = first; pixel < last; ++pixel) {
        const int64_t at = pixel / spatial * images.blocks * step + pixel % spatial * kBlock;
        function_(window_, call.input<float>(0) + at, step, call.output<float>(0) + at, step, channels_);
      }
    });
  }
  const RowKernel* by_rows() const override { return this; }

  size_t row_scratch(int64_t) const override { return 0; }
  void run_rows(const RowCall& call) const override {
    const auto* x = reinterpret_cast<const float*>(call.input);
    auto* y = reinterpret_cast<float*>(call.output);
    const int64_t x_step = call.input_block_bytes / int64_t{sizeof(float)};
    const int64_t y_step = call.output_block_bytes / int64_t{sizeof(float)};
    const int64_t pixels = call.rows.count * row_input().row_bytes / kPixelBytes;
    for (int64_t pixel = 0; pixel < pixels; ++pixel, x += kBlock, y += kBlock)
      function_(window_, x, x_step, y, y_step, channels_);
  }

 private:
  static constexpr int64_t kPixelBytes = kBlock * int64_t{sizeof(float)};

  NormWindow window_;
  int64_t channels_;
  decltype(simd_pick(normalize_blocked_table)) function_;
};

}  // namespace

bool accepts_local_response_norm_plain(const OperatorSpec& spec) { return is_plain(spec) && has_positive_base(spec); }

Result<std::unique_ptr<Kernel>> prepare_local_response_norm_plain(const OperatorSpec& spec) {
  const Shape& shape = spec.inputs[0].shape;
  const int64_t images = shape[0], channels = shape[1], spatial = shape.product(2, shape.rank());
  return make_kernel([=, window = window_of(spec), run = simd_pick(normalize_pixels_table)](const KernelCall& call) {
    constexpr int64_t kStrip = 256;  // pixels whose window of channels stays in the L1 cache
    const int64_t strips = ceil_div(spatial, kStrip);
    const float* x = call.input<float>(0);
    float* y = call.output<float>(0);
    parallel_ranges(*call.parallel, images * strips, channels * kStrip, [&](int64_t first, int64_t last) {
      for (int64_t strip = first; strip < last; ++strip) {
        const int64_t pixel = strip % strips * kStrip, start = strip / strips * channels * spatial + pixel;
        run(window, x + start, y + start, channels, spatial, std::min(kStrip, spatial - pixel));
      }
    });
  });
}

bool accepts_local_response_norm_blocked(const OperatorSpec& spec) {
  const TensorSpec& input = spec.inputs[0];
  const NormWindow window = window_of(spec);
  return input.layout == Layout::kBlocked16 && spec.outputs[0].layout == Layout::kBlocked16 &&
         input.shape[1] <= kMaxChannels && window.after <= kMaxReach && has_positive_base(spec);
}

Result<std::unique_ptr<Kernel>> prepare_local_response_norm_blocked(const OperatorSpec& spec) {
  return std::unique_ptr<Kernel>(std::make_unique<BlockedNorm>(spec));
}

}  // namespace nestrt::kernels
#endif
