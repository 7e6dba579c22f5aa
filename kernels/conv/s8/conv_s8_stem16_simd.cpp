// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/s8/conv_s8_stem16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/s8/conv_s8_stem16_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/shuffle16-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // a single lane cannot shuffle

void s8_interleave(const int8_t* from, int64_t from_stride, int64_t rows, int64_t columns, int8_t* to) {
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < rows; ++row) *to++ = from[row * from_stride + column];
}

#else
namespace {

// Interleaves rows [first, first + 16) of 16 columns. The last row is used in place of missing ones.
HWY_INLINE void interleave_tile(const int8_t* from, int64_t from_stride, int64_t first, int64_t rows, int8_t* to) {
  const hn::CappedTag<int8_t, 16> d;
  hn::Vec<decltype(d)> tile[16];
  for (int64_t i = 0; i < 16; ++i)
    tile[i] = hn::LoadU(d, from + (first + i < rows ? first + i : rows - 1) * from_stride);
  transpose16(d, tile);
  for (int64_t i = 0; i < 16; ++i) hn::StoreU(tile[i], d, to + i * rows + first);
}

}  // namespace

// Processes the last rows first, because their stores overrun into the next column, which is written later.
void s8_interleave(const int8_t* from, int64_t from_stride, int64_t rows, int64_t columns, int8_t* to) {
  for (int64_t first = (rows - 1) / 16 * 16; first >= 0; first -= 16)
    for (int64_t column = 0; column < columns; column += 16)
      interleave_tile(from + column, from_stride, first, rows, to + column * rows);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(s8_interleave)

S8InterleaveFunction s8_interleave_function() { return simd_pick(s8_interleave_table); }

}  // namespace nestrt::kernels
#endif
