// s8 pools of blocked16 tensors, 16 channels at a time.
#include <algorithm>

#include "kernels/common/function_kernel.h"
#include "kernels/common/integers.h"
#include "kernels/common/parallel_ranges.h"
#include "kernels/common/s8c_operands.h"
#include "kernels/pool/pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/pool_s8_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/s8_vectors-inl.h"
#include "kernels/common/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

constexpr int64_t kVectors = kBlock / kLanes;

// Calls visit(pixel) for the pixels of a window in row-major order.
template <class Visit>
HWY_INLINE void for_each_pixel(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d,
                               const PoolWindow& h, const PoolWindow& w, const Visit& visit) {
  const int64_t step = pool.axes[2].dilation * kBlock;
  for (int64_t i = 0; i < d.count; ++i) {
    for (int64_t j = 0; j < h.count; ++j) {
      const int64_t row =
          (d.first + i * pool.axes[0].dilation) * pool.axes[1].input + h.first + j * pool.axes[1].dilation;
      const int8_t* x = plane + (row * pool.axes[2].input + w.first) * kBlock;
      for (int64_t k = 0; k < w.count; ++k, x += step) visit(x);
    }
  }
}

// Outputs side by side, as many as the longest vector holds.
using DWide = hn::ScalableTag<int8_t>;
constexpr int64_t kWidePixels = static_cast<int64_t>(hn::MaxLanes(DWide())) / kBlock;

// Whether that many windows from output i on are whole and each one pixel after the other.
HWY_INLINE bool moves_by_pixels(const PoolAxis& axis, int64_t i) {
  if (kWidePixels < 2 || axis.stride != 1) return false;
  return axis.window(i).count == axis.kernel && axis.window(i + kWidePixels - 1).count == axis.kernel;
}

HWY_INLINE void wide_maxima(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
                            const PoolWindow& w, int8_t* to) {
  const DWide d8;
  auto best = hn::Set(d8, static_cast<int8_t>(s8::kLow));
  for_each_pixel(pool, plane, d, h, w, [&](const int8_t* x) HWY_ATTR { best = hn::Max(best, hn::LoadU(d8, x)); });
  hn::StoreU(best, d8, to);
}

}  // namespace

// A row of outputs, whose windows along the other axes are d and h.
void s8_maxima(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h, int8_t* to) {
  const D8 d8;
  for (int64_t i = 0; i < pool.axes[2].output; ++i, to += kBlock) {
    if (i + kWidePixels <= pool.axes[2].output && moves_by_pixels(pool.axes[2], i)) {
      wide_maxima(pool, plane, d, h, pool.axes[2].window(i), to);
      i += kWidePixels - 1;
      to += (kWidePixels - 1) * kBlock;
      continue;
    }
    V8 best[kVectors];
    for (V8& v : best) v = hn::Set(d8, static_cast<int8_t>(s8::kLow));
    for_each_pixel(pool, plane, d, h, pool.axes[2].window(i), [&](const int8_t* x) HWY_ATTR {
      for (int64_t v = 0; v < kVectors; ++v) best[v] = hn::Max(best[v], hn::LoadU(d8, x + v * kLanes));
    });
    for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(best[v], d8, to + v * kLanes);
  }
}

// The sums of one window.
void s8_sums(const PoolParameters& pool, const int8_t* plane, const PoolWindow& d, const PoolWindow& h,
             const PoolWindow& w, int32_t* to) {
  V32 sums[kVectors];
  for (V32& sum : sums) sum = hn::Zero(D32());
  for_each_pixel(pool, plane, d, h, w, [&](const int8_t* x) HWY_ATTR {
    for (int64_t v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], load_s8(x + v * kLanes));
  });
  for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], D32(), to + v * kLanes);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(s8_maxima)
NESTRT_SIMD_EXPORT(s8_sums)

namespace {

constexpr int64_t kChannels = 16;  // in a block

// Rows of outputs of one block of channels.
class RowsS8 {
 public:
  explicit RowsS8(const OperatorSpec& spec)
      : pool_(pool_parameters(spec)),
        rounding_(spec.as<ops::Pool>()->rounding),
        scaled_(s8c::has_scales(spec.inputs[0])),
        maxima_(simd_pick(s8_maxima_table)),
        sums_(simd_pick(s8_sums_table)) {}

  const PoolParameters& pool() const { return pool_; }
  int64_t rows() const { return pool_.axes[0].output * pool_.axes[1].output; }

  // Rows are counted through the outer spatial axes.
  void run(const int8_t* plane, int64_t row, int8_t* to) const {
    const PoolWindow d = pool_.axes[0].window(row / pool_.axes[1].output);
    const PoolWindow h = pool_.axes[1].window(row % pool_.axes[1].output);
    if (pool_.kind == ops::PoolKind::kMax) return maxima_(pool_, plane, d, h, to);
    for (int64_t x = 0; x < pool_.axes[2].output; ++x, to += kChannels) {
      const PoolWindow w = pool_.axes[2].window(x);
      int32_t sums[kChannels];
      sums_(pool_, plane, d, h, w, sums);
      const int64_t divisor = d.divisor * h.divisor * w.divisor;
      const auto zeros = static_cast<int32_t>(d.count * h.count * w.count) * from_.zero_point;
      for (int64_t i = 0; i < kChannels; ++i)
        to[i] = scaled_ ? s8c::average(sums[i] - zeros, divisor, from_.scale, to_)
                        : s8::average(sums[i], divisor, rounding_);
    }
  }

  // Reads the scales, if there are any.
  Status read_scales(const OperatorSpec& spec) {
    if (!scaled_) return {};
    NESTRT_ASSIGN_OR_RETURN(from_, s8c::affine_of(spec.inputs[0], "the input"));
    NESTRT_ASSIGN_OR_RETURN(to_, s8c::affine_of(spec.outputs[0], "the output"));
    return {};
  }

 private:
  PoolParameters pool_;
  ops::Rounding rounding_;
  bool scaled_;
  s8c::Affine from_, to_;
  decltype(simd_pick(s8_maxima_table)) maxima_;
  decltype(simd_pick(s8_sums_table)) sums_;
};

bool is_s8_pool(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kS8 && spec.inputs[0].layout == Layout::kBlocked16;
}

}  // namespace

bool accepts_pool_s8_blocked16(const OperatorSpec& spec) {
  return is_s8_pool(spec) && spec.outputs[0].layout == Layout::kBlocked16;
}

Result<std::unique_ptr<Kernel>> prepare_pool_s8_blocked16(const OperatorSpec& spec) {
  RowsS8 rows(spec);
  NESTRT_RETURN_IF_ERROR(rows.read_scales(spec));
  const Shape& shape = spec.inputs[0].shape;
  const int64_t planes = shape[0] * ceil_div(shape[1], kChannels);
  return make_kernel([rows, planes](const KernelCall& call) {
    const auto& [depth, height, width] = rows.pool().axes;
    const int64_t row_work = width.output * kChannels * depth.kernel * height.kernel * width.kernel;
    const int64_t in_plane = rows.pool().input_plane() * kChannels, row_elements = width.output * kChannels;
    parallel_ranges(*call.parallel, planes * rows.rows(), row_work, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row)
        rows.run(call.input<int8_t>(0) + row / rows.rows() * in_plane, row % rows.rows(),
                 call.output<int8_t>(0) + row * row_elements);
    });
  });
}

bool accepts_pool_s8_global(const OperatorSpec& spec) {
  const Shape& output = spec.outputs[0].shape;
  return is_s8_pool(spec) && output.product(2, output.rank()) == 1;
}

Result<std::unique_ptr<Kernel>> prepare_pool_s8_global(const OperatorSpec& spec) {
  RowsS8 rows(spec);
  NESTRT_RETURN_IF_ERROR(rows.read_scales(spec));
  const int64_t channels = spec.inputs[0].shape[1], blocks = ceil_div(channels, kChannels);
  const int64_t to_block = block_size(spec.outputs[0].layout);
  const int64_t batch_stride = round_up(channels, to_block);
  return make_kernel([=, planes = spec.inputs[0].shape[0] * blocks](const KernelCall& call) {
    const int64_t in_plane = rows.pool().input_plane() * kChannels;
    parallel_ranges(*call.parallel, planes, in_plane, [&](int64_t first, int64_t last) {
      for (int64_t plane = first; plane < last; ++plane) {
        const int64_t channel = plane % blocks * kChannels;
        int8_t result[kChannels];
        rows.run(call.input<int8_t>(0) + plane * in_plane, 0, result);
        std::copy_n(result, std::min(kChannels, channels - channel),
                    call.output<int8_t>(0) + plane / blocks * batch_stride + channel);
      }
    });
  });
}

}  // namespace nestrt::kernels
#endif
