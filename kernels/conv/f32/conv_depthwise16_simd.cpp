// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/f32/conv_depthwise16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/f32/conv_depthwise16_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/bounds-inl.h"
#include "kernels/common/simd/prefetch.h"
#include "kernels/common/simd/simd.h"
#include "kernels/conv/taps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 16;
using D = hn::CappedTag<float, kBlock>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kVectors = static_cast<int>(kBlock) / kLanes;

constexpr bool kIsNeon = HWY_ARCH_ARM_A64 != 0;

#define NESTRT_UNROLL _Pragma("GCC unroll 32")

// Parameters shared by the outputs of one row.
struct Row {
  const ConvGeometry& geometry;
  const float* input;  // the plane
  const float* weights;
  const float* bias;
  const float* residual;
  float* output;
  int64_t iz, iy;  // start of the first output's window
  Taps kz, ky;
  Bounds bounds;
};

// Adds the taps `kx`, all inside the input, to kCount outputs starting at `x`.
template <int kCount, int kVector>
HWY_INLINE void add_taps(const Row& row, int64_t x, Taps kx, V (&sums)[kCount]) {
  const D d;
  const auto& [depth, height, width] = row.geometry.axes;
  const int64_t ix = x * width.stride - width.pad_begin, step = width.stride * kBlock;
  for (int64_t z = row.kz.first; z < row.kz.last; ++z) {
    for (int64_t y = row.ky.first; y < row.ky.last; ++y) {
      const int64_t line = (row.iz + z * depth.dilation) * height.input + row.iy + y * height.dilation;
      const float* in = row.input + (line * width.input + ix) * kBlock + kVector * kLanes;
      const float* weights = row.weights + (z * height.kernel + y) * width.kernel * kBlock + kVector * kLanes;
      for (int64_t k = kx.first; k < kx.last; ++k) {
        const V w = hn::LoadU(d, weights + k * kBlock);
        const float* at = in + k * width.dilation * kBlock;
        NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
          sums[p] = hn::MulAdd(hn::LoadU(d, at + p * step), w, sums[p]);
        }
      }
    }
  }
}

template <int kCount, int kVector>
HWY_INLINE void start(const Row& row, V (&sums)[kCount]) {
  const D d;
  const V bias = row.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, row.bias + kVector * kLanes);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[p] = bias;
}

template <int kCount, int kVector>
HWY_INLINE void store(const Row& row, int64_t x, const V (&sums)[kCount]) {
  const D d;
  const V low = hn::Set(d, row.bounds.low), high = hn::Set(d, row.bounds.high);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
    const int64_t at = (x + p) * kBlock + kVector * kLanes;
    V y = sums[p];
    if (row.residual != nullptr) y = hn::Add(y, hn::LoadU(d, row.residual + at));
    if (row.bounds.used) y = bounded(y, low, high);
    hn::StoreU(y, d, row.output + at);
  }
}

template <int kCount, int kVector>
HWY_INLINE void step_vector(const Row& row, int64_t x, Taps kx) {
  V sums[kCount];
  start<kCount, kVector>(row, sums);
  add_taps<kCount, kVector>(row, x, kx, sums);
  store<kCount, kVector>(row, x, sums);
}

// Returns the row with its addresses advanced to one lane of the block.
HWY_INLINE Row lane_of(Row row, int lane) {
  row.input += lane;
  row.weights += lane;
  row.output += lane;
  if (row.bias != nullptr) row.bias += lane;
  if (row.residual != nullptr) row.residual += lane;
  return row;
}

template <int kCount, int kVector = 0>
HWY_INLINE void step(const Row& row, int64_t x, Taps kx) {
  if constexpr (kLanes == 1) {  // sixteen copies of the code would take 80 kB and be no faster
    for (int lane = 0; lane < kVectors; ++lane) step_vector<kCount, 0>(lane_of(row, lane), x, kx);
  } else {
    step_vector<kCount, kVector>(row, x, kx);
    if constexpr (kVector + 1 < kVectors) step<kCount, kVector + 1>(row, x, kx);
  }
}

// The code below is for kernels with kTaps taps along the width and no dilation. It processes kCount outputs together
// and loads each input once for all outputs that read it. The sums equal those of step(), except that inputs outside
// the plane are multiplied as zeros.
alignas(64) constexpr float kNoInput[kBlock] = {};

// The addresses of the pixels of one line.
template <int kCount, int kStride, int kTaps>
struct LineInputs {
  static constexpr int kPixels = (kCount - 1) * kStride + kTaps;
  static constexpr int kNew = kCount * kStride;  // number of new pixels for the next outputs
  const float* pixels[kPixels];
  const float* prefetch;  // first pixel to prefetch, or null

  // `ix`: the position of the first pixel in `line`. Pixels outside [0, width) read zeros.
  HWY_INLINE LineInputs(const float* line, int64_t ix, int64_t width) {
    NESTRT_UNROLL for (int i = 0; i < kPixels; ++i) {
      const float* at = line + (ix + i) * kBlock;
      pixels[i] = static_cast<uint64_t>(ix + i) < static_cast<uint64_t>(width) ? at : kNoInput;
    }
    prefetch = width < kNew ? nullptr : line + HWY_MIN(ix + kPixels, width - kNew) * kBlock;
  }
};

// Adds the products of the pixels at(i) of a line.
template <int kCount, int kStride, int kTaps, int kVector, class At>
HWY_INLINE void add_pixels(const At& at, const float* weights, V (&sums)[kCount]) {
  const D d;
  V w[kTaps];
  NESTRT_UNROLL for (int k = 0; k < kTaps; ++k) w[k] = hn::LoadU(d, weights + k * kBlock + kVector * kLanes);
  NESTRT_UNROLL for (int i = 0; i < (kCount - 1) * kStride + kTaps; ++i) {
    const V value = hn::LoadU(d, at(i) + kVector * kLanes);
    NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
      const int k = i - p * kStride;
      if (k >= 0 && k < kTaps) sums[p] = hn::MulAdd(value, w[k], sums[p]);
    }
  }
}

// Processes one vector of kCount outputs. pixels_of(line) returns a function that maps the index of a pixel to its
// address.
template <int kCount, int kStride, int kTaps, int kVector, class PixelsOf>
HWY_INLINE void step_pixels(const Row& row, int64_t x, const PixelsOf& pixels_of) {
  const auto& [depth, height, width] = row.geometry.axes;
  const int64_t line_step = height.dilation * width.input * kBlock;
  V sums[kCount];
  start<kCount, kVector>(row, sums);
  for (int64_t z = row.kz.first; z < row.kz.last; ++z) {
    const int64_t first = (row.iz + z * depth.dilation) * height.input + row.iy + row.ky.first * height.dilation;
    const float* line = row.input + first * width.input * kBlock;
    const float* weights = row.weights + (z * height.kernel + row.ky.first) * kTaps * kBlock;
    for (int64_t y = row.ky.first; y < row.ky.last; ++y, line += line_step, weights += kTaps * kBlock)
      add_pixels<kCount, kStride, kTaps, kVector>(pixels_of(line), weights, sums);
  }
  store<kCount, kVector>(row, x, sums);
}

// Not inline, because its addresses would use registers that the code for inner outputs needs.
template <int kCount, int kStride, int kTaps, int kVector>
HWY_NOINLINE void step_edge(const Row& row, int64_t x) {
  const ConvAxis& width = row.geometry.axes[2];
  const int64_t ix = x * kStride - width.pad_begin, end = width.input;
  step_pixels<kCount, kStride, kTaps, kVector>(row, x, [ix, end](const float* line) HWY_ATTR {
    return [in = LineInputs<kCount, kStride, kTaps>(line, ix, end)](int i) HWY_ATTR { return in.pixels[i]; };
  });
}

template <int kCount, int kStride, int kTaps, int kVector>
HWY_INLINE void step_any(const Row& row, int64_t x) {
  const ConvAxis& width = row.geometry.axes[2];
  const int64_t ix = x * kStride - width.pad_begin;
  if (ix < 0 || ix + LineInputs<kCount, kStride, kTaps>::kPixels > width.input)
    return step_edge<kCount, kStride, kTaps, kVector>(row, x);
  step_pixels<kCount, kStride, kTaps, kVector>(row, x, [ix](const float* line) HWY_ATTR {
    return [from = line + ix * kBlock](int i) HWY_ATTR { return from + i * kBlock; };
  });
}

// Processes a row vector by vector. The sums of seven outputs hide the latency of a product, and seven divides common
// image sizes.
template <int kStride, int kTaps, int kVector = 0>
HWY_NOINLINE void run_pixels(const Row& row) {
  const int64_t last = row.geometry.axes[2].output;
  int64_t x = 0;
  for (; x + 7 <= last; x += 7) step_any<7, kStride, kTaps, kVector>(row, x);
  for (; x + 4 <= last; x += 4) step_any<4, kStride, kTaps, kVector>(row, x);
  for (; x + 2 <= last; x += 2) step_any<2, kStride, kTaps, kVector>(row, x);
  if (x < last) step_any<1, kStride, kTaps, kVector>(row, x);
  if constexpr (kVector + 1 < kVectors) run_pixels<kStride, kTaps, kVector + 1>(row);
}

// Runs the row if run_pixels() supports it. Returns whether it does.
HWY_INLINE bool run_wide(const Row& row) {
  if constexpr (kLanes >= 8) {
    const ConvAxis& width = row.geometry.axes[2];
    if (width.dilation != 1 || width.stride > 2) return false;
    if (width.kernel == 3) {
      width.stride == 1 ? run_pixels<1, 3>(row) : run_pixels<2, 3>(row);
      return true;
    }
    if (width.kernel == 5) {
      width.stride == 1 ? run_pixels<1, 5>(row) : run_pixels<2, 5>(row);
      return true;
    }
  }
  return false;
}

// For cores on which a vector load takes as long as two products (Cortex-A53) and kernels with three taps: processes
// all vectors of kCount outputs together. Outputs are stored in whole cache lines, so that the lines need not be read
// before they are written.
constexpr int kLineTaps = 3;

template <int kCount, int kStride, int kVector = 0>
HWY_INLINE void add_line(const LineInputs<kCount, kStride, kLineTaps>& in, const float* weights,
                         V (&sums)[kVectors][kCount]) {
  add_pixels<kCount, kStride, kLineTaps, kVector>([&in](int i) HWY_ATTR { return in.pixels[i]; }, weights,
                                                  sums[kVector]);
  if (kIsNeon && in.prefetch != nullptr) {
    NESTRT_UNROLL for (int i = kVector; i < in.kNew; i += kVectors) prefetch_line(in.prefetch + i * kBlock);
  }
  if constexpr (kVector + 1 < kVectors) add_line<kCount, kStride, kVector + 1>(in, weights, sums);
}

template <int kCount>
HWY_INLINE void store_line(const Row& row, int64_t x, V (&sums)[kVectors][kCount]) {
  const D d;
  const V low = hn::Set(d, row.bounds.low), high = hn::Set(d, row.bounds.high);
  NESTRT_UNROLL for (int p = 0; p < kCount; ++p) {
    NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) {
      const int64_t at = (x + p) * kBlock + v * kLanes;
      V y = sums[v][p];
      if (row.residual != nullptr) y = hn::Add(y, hn::LoadU(d, row.residual + at));
      hn::StoreU(bounded(y, low, high), d, row.output + at);
    }
  }
}

template <int kCount, int kStride>
HWY_INLINE void step_line(const Row& row, int64_t x) {
  const D d;
  const auto& [depth, height, width] = row.geometry.axes;
  V sums[kVectors][kCount];
  NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) {
    const V bias = row.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, row.bias + v * kLanes);
    NESTRT_UNROLL for (int p = 0; p < kCount; ++p) sums[v][p] = bias;
  }
  for (int64_t z = row.kz.first; z < row.kz.last; ++z) {
    for (int64_t y = row.ky.first; y < row.ky.last; ++y) {
      const int64_t line = (row.iz + z * depth.dilation) * height.input + row.iy + y * height.dilation;
      const LineInputs<kCount, kStride, kLineTaps> in(row.input + line * width.input * kBlock,
                                                      x * kStride - width.pad_begin, width.input);
      add_line<kCount, kStride>(in, row.weights + (z * height.kernel + y) * kLineTaps * kBlock, sums);
    }
  }
  store_line(row, x, sums);
}

template <int kStride>
HWY_INLINE void run_lines(const Row& row) {
  const int64_t last = row.geometry.axes[2].output;
  int64_t x = 0;
  for (; x + 5 <= last; x += 5) step_line<5, kStride>(row, x);
  for (; x + 2 <= last; x += 2) step_line<2, kStride>(row, x);
  if (x < last) step_line<1, kStride>(row, x);
}

HWY_INLINE void run_inner(const Row& row, int64_t x, int64_t last) {
  const ConvAxis& width = row.geometry.axes[2];
  const Taps all{0, width.kernel};
  for (; x + 8 <= last; x += 8) step<8>(row, x, all);
  if (x + 4 <= last) {
    step<4>(row, x, all);
    x += 4;
  }
  for (; x < last; ++x) step<1>(row, x, all);
}

// Processes several inner outputs at a time, and outputs at the edges one by one.
HWY_INLINE void run_row(const Row& row, Taps inner) {
  const ConvAxis& width = row.geometry.axes[2];
  if (kIsNeon && width.kernel == kLineTaps && width.dilation == 1) {
    if (width.stride == 1) return run_lines<1>(row);
    if (width.stride == 2) return run_lines<2>(row);
  }
  if (run_wide(row)) return;
  int64_t x = 0;
  for (; x < inner.first; ++x) step<1>(row, x, taps_inside(width, x));
  if (x < inner.last) {
    run_inner(row, x, inner.last);
    x = inner.last;
  }
  for (; x < width.output; ++x) step<1>(row, x, taps_inside(width, x));
}

}  // namespace

void depthwise(const DepthwiseRows& rows) {
  const auto& [depth, height, width] = rows.geometry->axes;
  const Taps inner = inside_outputs(width), kz = taps_inside(depth, rows.z);
  const int64_t iz = rows.z * depth.stride - depth.pad_begin, row_floats = width.output * kBlock;
  for (int64_t y = rows.first; y < rows.last; ++y) {
    const int64_t at = (y - rows.first) * row_floats;
    const Row row{*rows.geometry,
                  rows.input,
                  rows.weights,
                  rows.bias,
                  rows.residual == nullptr ? nullptr : rows.residual + at,
                  rows.output + at,
                  iz,
                  y * height.stride - height.pad_begin,
                  kz,
                  taps_inside(height, y),
                  bounds_of(rows.activation)};
    run_row(row, inner);
    if (needs_pass(rows.activation)) map_activation(rows.activation, row.output, row.output, row_floats);
  }
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(depthwise)

DepthwiseFunction depthwise_function() { return simd_pick(depthwise_table); }

}  // namespace nestrt::kernels
#endif
