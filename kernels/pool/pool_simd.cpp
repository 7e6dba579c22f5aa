// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool_simd.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/pool_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/prefetch.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// All instruction sets process 16 lanes in the same order, so results are bit-identical (except L2, because some sets
// fuse the multiplication and the addition).
constexpr int64_t kBlock = 16;
using D = hn::CappedTag<float, kBlock>;
using V = hn::Vec<D>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(D()));
constexpr int64_t kVectors = kBlock / kLanes;

#define NESTRT_UNROLL _Pragma("GCC unroll 16")

// The operations of a reduction on an element, on two partial results, and on the final result. The maximum uses a
// comparison, because the NaN behaviour of maximum instructions depends on the machine.
struct Maximum {
  static V start() { return hn::Neg(hn::Inf(D())); }
  static V add(V sum, V x) { return hn::IfThenElse(hn::Gt(x, sum), x, sum); }
  static V merge(V a, V b) { return add(a, b); }
  static V finish(V sum, float) { return sum; }
};
struct Sum {
  static V start() { return hn::Zero(D()); }
  static V merge(V a, V b) { return hn::Add(a, b); }
};
struct Average : Sum {
  static V add(V sum, V x) { return hn::Add(sum, x); }
  static V finish(V sum, float divisor) { return divisor == 0 ? hn::Zero(D()) : hn::Div(sum, hn::Set(D(), divisor)); }
};
struct L1Norm : Sum {
  static V add(V sum, V x) { return hn::Add(sum, hn::Abs(x)); }
  static V finish(V sum, float) { return sum; }
};
struct L2Norm : Sum {
  static V add(V sum, V x) { return hn::MulAdd(x, x, sum); }
  static V finish(V sum, float) { return hn::Sqrt(sum); }
};

// Adds `count` elements of a row to each channel's sum.
template <typename Kind>
void add_row(const float* x, int64_t count, int64_t step, V* sums) {
  for (int64_t k = 0; k < count; ++k, x += step)
    for (int64_t v = 0; v < kVectors; ++v) sums[v] = Kind::add(sums[v], hn::LoadU(D(), x + v * kLanes));
}

// Adds three neighbours without a loop, the most common case. Prefetches the new elements of a window `next` floats
// ahead, for windows that are two pixels apart.
template <typename Kind>
HWY_INLINE void add_three(const float* x, int64_t next, V* sums) {
  prefetch_line(x + next + kBlock);
  prefetch_line(x + next + 2 * kBlock);
  NESTRT_UNROLL for (int64_t k = 0; k < 3; ++k) NESTRT_UNROLL for (int64_t v = 0; v < kVectors; ++v) sums[v] =
      Kind::add(sums[v], hn::LoadU(D(), x + k * kBlock + v * kLanes));
}

// Calls visit(x) for the input rows that a row of outputs reads, each starting at pixel `column`.
template <typename Visit>
HWY_INLINE void for_each_row(const PoolParameters& pool, const float* plane, const PoolWindow& d, const PoolWindow& h,
                             int64_t column, Visit visit) {
  const int64_t row_step = pool.axes[1].dilation * pool.axes[2].input * kBlock;
  for (int64_t i = 0; i < d.count; ++i) {
    const int64_t row = (d.first + i * pool.axes[0].dilation) * pool.axes[1].input + h.first;
    const float* x = plane + (row * pool.axes[2].input + column) * kBlock;
    for (int64_t j = 0; j < h.count; ++j, x += row_step) visit(x);
  }
}

// Computes one output pixel from the elements of its window in row-major order.
template <typename Kind, bool kIsThree>
HWY_INLINE void pool_pixel(const PoolParameters& pool, const float* plane, const PoolWindow& d, const PoolWindow& h,
                           const PoolWindow& w, int64_t next, float* to) {
  V sums[kVectors];
  for (V& sum : sums) sum = Kind::start();
  for_each_row(pool, plane, d, h, w.first, [&](const float* x) HWY_ATTR {
    if constexpr (kIsThree) {
      add_three<Kind>(x, next, sums);
    } else {
      add_row<Kind>(x, w.count, pool.axes[2].dilation * kBlock, sums);
    }
  });
  const auto divisor = static_cast<float>(d.divisor * h.divisor * w.divisor);
  for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(Kind::finish(sums[v], divisor), D(), to + v * kLanes);
}

// Computes the maxima of windows of three pixels that are two pixels apart. Each window reuses the last column of the
// previous one. `column`: the first column of the first window.
HWY_INLINE void maxima_two_apart(const PoolParameters& pool, const float* plane, const PoolWindow& d,
                                 const PoolWindow& h, int64_t column, int64_t count, float* to) {
  V first[kVectors];
  for (V& v : first) v = Maximum::start();
  for_each_row(pool, plane, d, h, column, [&](const float* x) HWY_ATTR { add_row<Maximum>(x, 1, 0, first); });
  for (int64_t i = 0; i < count; ++i, column += 2, to += kBlock) {
    V second[kVectors], third[kVectors];
    NESTRT_UNROLL for (int64_t v = 0; v < kVectors; ++v) second[v] = third[v] = Maximum::start();
    const int64_t next = i + 1 < count ? 2 * kBlock : 0;
    for_each_row(pool, plane, d, h, column + 1, [&](const float* x) HWY_ATTR {
      prefetch_line(x + next);
      prefetch_line(x + next + kBlock);
      NESTRT_UNROLL for (int64_t v = 0; v < kVectors; ++v) {
        second[v] = Maximum::add(second[v], hn::LoadU(D(), x + v * kLanes));
        third[v] = Maximum::add(third[v], hn::LoadU(D(), x + kBlock + v * kLanes));
      }
    });
    NESTRT_UNROLL for (int64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(Maximum::merge(Maximum::merge(first[v], second[v]), third[v]), D(), to + v * kLanes);
      first[v] = third[v];
    }
  }
}

template <typename Kind>
struct Row {
  static constexpr bool kUnrolls = std::is_same_v<Kind, Maximum> || std::is_same_v<Kind, Average>;  // others are rare

  static void run(const PoolParameters* pool, const float* plane, const PoolWindow* d, const PoolWindow* h, float* to) {
    const PoolAxis& width = pool->axes[2];
    const bool is_three = kUnrolls && width.kernel == 3 && width.dilation == 1;
    const int64_t last_inside = (width.input - width.kernel + width.pad_begin) / width.stride;
    const bool shares = std::is_same_v<Kind, Maximum> && is_three && width.stride == 2;
    for (int64_t x = 0; x < width.output; ++x, to += kBlock) {
      const PoolWindow w = width.window(x);
      if (shares && w.count == 3) {
        const int64_t count = HWY_MIN(last_inside + 1, width.output) - x;
        maxima_two_apart(*pool, plane, *d, *h, w.first, count, to);
        x += count - 1;
        to += (count - 1) * kBlock;
      } else if (is_three && w.count == 3) {
        pool_pixel<Kind, kUnrolls>(*pool, plane, *d, *h, w, x < last_inside ? width.stride * kBlock : 0, to);
      } else {
        pool_pixel<Kind, false>(*pool, plane, *d, *h, w, 0, to);
      }
    }
  }
};

// Uses four partial results, which hide the latency of additions and reduce rounding errors.
template <typename Kind>
struct Block {
  static void run(const float* x, int64_t pixels, float* to) {
    constexpr int64_t kChains = 4;
    for (int64_t v = 0; v < kVectors; ++v, x += kLanes, to += kLanes) {
      V sums[kChains];
      for (V& sum : sums) sum = Kind::start();
      int64_t pixel = 0;
      for (; pixel + kChains <= pixels; pixel += kChains)
        for (int64_t i = 0; i < kChains; ++i) sums[i] = Kind::add(sums[i], hn::LoadU(D(), x + (pixel + i) * kBlock));
      for (; pixel < pixels; ++pixel) sums[0] = Kind::add(sums[0], hn::LoadU(D(), x + pixel * kBlock));
      const V all = Kind::merge(Kind::merge(sums[0], sums[1]), Kind::merge(sums[2], sums[3]));
      hn::StoreU(Kind::finish(all, static_cast<float>(pixels)), D(), to);
    }
  }
};

// Uses sixteen partial results, each for every sixteenth element.
template <typename Kind>
struct Plane {
  static float run(const float* x, int64_t count) {
    V sums[kVectors];
    for (V& sum : sums) sum = Kind::start();
    int64_t i = 0;
    for (; i + kBlock <= count; i += kBlock)
      for (int64_t v = 0; v < kVectors; ++v) sums[v] = Kind::add(sums[v], hn::LoadU(D(), x + i + v * kLanes));
    V all = merge_lanes(sums);
    for (; i < count; ++i) all = Kind::add(all, hn::Set(D(), x[i]));
    return hn::GetLane(Kind::finish(all, static_cast<float>(count)));
  }

  // Returns the reduction of all lanes, merged by halves, in every lane.
  static V merge_lanes(const V* sums) {
    float lanes[kBlock];
    for (int64_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], D(), lanes + v * kLanes);
    for (int64_t half = kBlock / 2; half > 0; half /= 2)
      for (int64_t i = 0; i < half; ++i)
        lanes[i] = hn::GetLane(Kind::merge(hn::Set(D(), lanes[i]), hn::Set(D(), lanes[half + i])));
    return hn::Set(D(), lanes[0]);
  }
};

template <template <typename> class Loop, typename... Arguments>
auto reduce(PoolReduction reduction, Arguments... arguments) {
  switch (reduction) {
    case PoolReduction::kAverage:
      return Loop<Average>::run(arguments...);
    case PoolReduction::kL1:
      return Loop<L1Norm>::run(arguments...);
    case PoolReduction::kL2:
      return Loop<L2Norm>::run(arguments...);
    default:
      return Loop<Maximum>::run(arguments...);
  }
}

void row16(PoolReduction reduction, const PoolParameters* pool, const float* plane, const PoolWindow* depth,
           const PoolWindow* height, float* to) {
  reduce<Row>(reduction, pool, plane, depth, height, to);
}

void block16(PoolReduction reduction, const float* input, int64_t pixels, float* output) {
  reduce<Block>(reduction, input, pixels, output);
}

float plane(PoolReduction reduction, const float* input, int64_t count) {
  return reduce<Plane>(reduction, input, count);
}

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(row16)
NESTRT_SIMD_EXPORT(block16)
NESTRT_SIMD_EXPORT(plane)

void pool_row16(PoolReduction reduction, const PoolParameters& pool, const float* block, const PoolWindow& depth,
                const PoolWindow& height, float* to) {
  simd_pick(row16_table)(reduction, &pool, block, &depth, &height, to);
}

void pool_block16(PoolReduction reduction, const float* input, int64_t pixels, float* output) {
  simd_pick(block16_table)(reduction, input, pixels, output);
}

float pool_plane(PoolReduction reduction, const float* input, int64_t count) {
  return simd_pick(plane_table)(reduction, input, count);
}

}  // namespace nestrt::kernels
#endif
