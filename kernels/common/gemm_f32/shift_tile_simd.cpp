// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/gemm_f32/shift_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/gemm_f32/shift_tile_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/math/bounds-inl.h"
#include "kernels/common/simd/partial-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kShiftColumns>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// Accumulators use most of the registers; the others hold inputs and a weight. Unrolling further does not speed up
// single lanes.
constexpr bool kHas32Registers = HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64 != 0;
constexpr int kMaxSums = kLanes == 1 ? 8 : kHas32Registers ? 24 : 12;
constexpr int kMaxPoints = kMaxSums / 2;
static_assert(kMaxPoints <= kMaxShiftPoints);
constexpr int kMaxVectors = 8;

#define NESTRT_UNROLL _Pragma("GCC unroll 16")

// Computes kVectors vectors of every point, starting at `column`.
template <int kPoints, int kVectors>
HWY_INLINE void run_columns(const ShiftTile& tile, int64_t column) {
  const D d;
  V sums[kPoints][kVectors];
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
    const V bias = tile.bias == nullptr ? hn::Zero(d) : hn::Set(d, tile.bias[p]);
    NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) sums[p][v] = bias;
  }
  const float* HWY_RESTRICT weights = tile.weights;
  const float* HWY_RESTRICT input = tile.input + column;
  const int64_t* HWY_RESTRICT shifts = tile.shifts;
  for (int64_t i = 0; i < tile.length; ++i, weights += kPoints) {
    const float* HWY_RESTRICT from = input + shifts[i];
    V x[kVectors];
    NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) x[v] = hn::LoadU(d, from + v * kLanes);
    NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
      const V weight = hn::Set(d, weights[p]);
      NESTRT_UNROLL for (int v = 0; v < kVectors; ++v) sums[p][v] = hn::MulAdd(x[v], weight, sums[p][v]);
    }
  }
  NESTRT_UNROLL for (int p = 0; p < kPoints; ++p) {
    NESTRT_UNROLL for (int v = 0; v < kVectors; ++v)
        hn::StoreU(sums[p][v], d, tile.output + p * tile.point_stride + column + v * kLanes);
  }
}

// Computes all columns starting at `column`, first kVectors vectors at a time, then fewer.
template <int kPoints, int kVectors>
HWY_INLINE void run_steps(const ShiftTile& tile, int64_t column) {
  constexpr int kStep = kVectors * kLanes;
  for (; column + kStep <= tile.columns; column += kStep) run_columns<kPoints, kVectors>(tile, column);
  if constexpr (kVectors == 1) {
    if (column < tile.columns) run_columns<kPoints, 1>(tile, column);
  } else {
    constexpr int kFewer = kVectors > 4 ? 4 : kVectors > 2 ? 2 : 1;
    if (column < tile.columns) run_steps<kPoints, kFewer>(tile, column);
  }
}

template <int kPoints = kMaxPoints>
HWY_INLINE void run_points(const ShiftTile& tile) {
  if constexpr (kPoints > 0) {
    constexpr int kFitting = kMaxSums / kPoints;
    if (tile.points == kPoints) return run_steps<kPoints, HWY_MIN(kFitting, kMaxVectors)>(tile, 0);
    run_points<kPoints - 1>(tile);
  }
}

}  // namespace

void shift_tile(const ShiftTile& tile) { run_points<>(tile); }

void finish_row(const Activation& activation, const FinishedRow& row) {
  const D d;
  const Bounds bounds = bounds_of(activation);
  const V low = hn::Set(d, bounds.low), high = hn::Set(d, bounds.high);
  const auto finished = [&](V sum, V residual) HWY_ATTR {
    const V y = row.residual == nullptr ? sum : hn::Add(sum, residual);
    return bounds.used ? bounded(y, low, high) : y;
  };
  int64_t i = 0;
  for (; i + kLanes <= row.count; i += kLanes) {
    const V residual = row.residual == nullptr ? hn::Zero(d) : hn::LoadU(d, row.residual + i);
    hn::StoreU(finished(hn::LoadU(d, row.sums + i), residual), d, row.output + i);
  }
  if (const int64_t left = row.count - i; left > 0) {
    const V residual = row.residual == nullptr ? hn::Zero(d) : load_partial(d, row.residual + i, left);
    store_partial(d, finished(load_partial(d, row.sums + i, left), residual), row.output + i, left);
  }
  if (needs_pass(activation)) map_activation(activation, row.output, row.output, row.count);
}

void interleave_rows(const InterleavedRows& rows) {
  if (kLanes > 1 && rows.num_rows == 2) {
    const D d;
    for (int64_t i = 0; i < rows.columns; i += kLanes)
      hn::StoreInterleaved2(hn::LoadU(d, rows.rows[0] + i), hn::LoadU(d, rows.rows[1] + i), d, rows.to + 2 * i);
    return;
  }
  if (kLanes > 1 && rows.num_rows == 4) {
    const D d;
    for (int64_t i = 0; i < rows.columns; i += kLanes)
      hn::StoreInterleaved4(hn::LoadU(d, rows.rows[0] + i), hn::LoadU(d, rows.rows[1] + i),
                            hn::LoadU(d, rows.rows[2] + i), hn::LoadU(d, rows.rows[3] + i), d, rows.to + 4 * i);
    return;
  }
  for (int64_t r = 0; r < rows.num_rows; ++r)
    for (int64_t i = 0; i < rows.columns; ++i) rows.to[i * rows.num_rows + r] = rows.rows[r][i];
}

void take_every(const float* from, int64_t stride, int64_t count, float* to) {
  int64_t i = 0;
  if (stride == 2) {
    const D d;
    for (; i + kLanes < count; i += kLanes) {  // leaves one element, because a step reads one past its last
      V even, odd;
      hn::LoadInterleaved2(d, from + 2 * i, even, odd);
      hn::StoreU(even, d, to + i);
    }
  }
  for (; i < count; ++i) to[i] = from[i * stride];
}

int64_t shift_points() { return kMaxPoints; }

#undef NESTRT_UNROLL

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(shift_tile)
NESTRT_SIMD_EXPORT(finish_row)
NESTRT_SIMD_EXPORT(interleave_rows)
NESTRT_SIMD_EXPORT(take_every)
NESTRT_SIMD_EXPORT(shift_points)

ShiftFunctions shift_functions() {
  return {simd_pick(shift_tile_table), simd_pick(finish_row_table), simd_pick(interleave_rows_table),
          simd_pick(take_every_table), simd_pick(shift_points_table)()};
}

}  // namespace nestrt::kernels
#endif
