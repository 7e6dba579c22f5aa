// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/layout/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/layout/transpose.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/shuffle16-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The scalar loop over rows [first_row, rows) and columns [first_column, columns).
template <typename T>
void transpose_rest(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t first_row, int64_t rows,
                    int64_t first_column, int64_t columns) {
  for (int64_t c = first_column; c < columns; ++c)
    for (int64_t r = first_row; r < rows; ++r) to[c * to_stride + r] = from[r * from_stride + c];
}

#if HWY_TARGET == HWY_SCALAR  // a single lane cannot shuffle

void transpose_u32(const uint32_t* from, int64_t from_stride, uint32_t* to, int64_t to_stride, int64_t rows,
                   int64_t columns) {
  transpose_rest(from, from_stride, to, to_stride, 0, rows, 0, columns);
}

void transpose_u8(const uint8_t* from, int64_t from_stride, uint8_t* to, int64_t to_stride, int64_t rows,
                  int64_t columns) {
  transpose_rest(from, from_stride, to, to_stride, 0, rows, 0, columns);
}

#else

// Loads four columns of as many rows as D has lanes. Each 128-bit block holds four columns of one row; the next block
// holds the fourth row after it.
template <class D>
hn::Vec<D> load_blocks(D d, const uint32_t* from, int64_t from_stride) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const auto rows = static_cast<int64_t>(hn::MaxLanes(half));
    return hn::Combine(d, load_blocks(half, from + rows * from_stride, from_stride),
                       load_blocks(half, from, from_stride));
  }
}

template <class D>
void transpose_tile(D d, const uint32_t* from, int64_t from_stride, uint32_t* to, int64_t to_stride) {
  const hn::RepartitionToWide<D> wide;
  const auto row0 = load_blocks(d, from, from_stride);
  const auto row1 = load_blocks(d, from + from_stride, from_stride);
  const auto row2 = load_blocks(d, from + 2 * from_stride, from_stride);
  const auto row3 = load_blocks(d, from + 3 * from_stride, from_stride);
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, row0, row1));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, row2, row3));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, row0, row1));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, row2, row3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, to + 3 * to_stride);
}

// Transposes all full tiles of lanes(D) rows, starting at first_row. Returns the first remaining row.
template <class D>
int64_t transpose_strips(D d, const uint32_t* from, int64_t from_stride, uint32_t* to, int64_t to_stride,
                         int64_t first_row, int64_t rows, int64_t columns) {
  const auto strip = static_cast<int64_t>(hn::MaxLanes(d));
  int64_t r = first_row;
  for (; r + strip <= rows; r += strip) {
    int64_t c = 0;
    for (; c + 4 <= columns; c += 4)
      transpose_tile(d, from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
    transpose_rest(from, from_stride, to, to_stride, r, r + strip, c, columns);
  }
  return r;
}

// Deinterleaves rows of two to four adjacent elements, such as the channels of pixels. Returns the first remaining row.
template <typename T>
int64_t separate(const T* from, T* to, int64_t to_stride, int64_t rows, int64_t columns) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> a, b, c, e;
  int64_t r = 0;
  for (; r + lanes <= rows; r += lanes, from += lanes * columns) {
    if (columns == 2) {
      hn::LoadInterleaved2(d, from, a, b);
    } else if (columns == 3) {
      hn::LoadInterleaved3(d, from, a, b, c);
    } else {
      hn::LoadInterleaved4(d, from, a, b, c, e);
    }
    hn::StoreU(a, d, to + r);
    hn::StoreU(b, d, to + to_stride + r);
    if (columns > 2) hn::StoreU(c, d, to + 2 * to_stride + r);
    if (columns > 3) hn::StoreU(e, d, to + 3 * to_stride + r);
  }
  return r;
}

// Does the reverse: interleaves two to four rows. Returns the first remaining column.
template <typename T>
int64_t interleave(const T* from, int64_t from_stride, T* to, int64_t rows, int64_t columns) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto row = [&](int64_t r, int64_t c) HWY_ATTR { return hn::LoadU(d, from + r * from_stride + c); };
  int64_t c = 0;
  for (; c + lanes <= columns; c += lanes) {
    if (rows == 2)
      hn::StoreInterleaved2(row(0, c), row(1, c), d, to + c * rows);
    else if (rows == 3)
      hn::StoreInterleaved3(row(0, c), row(1, c), row(2, c), d, to + c * rows);
    else
      hn::StoreInterleaved4(row(0, c), row(1, c), row(2, c), row(3, c), d, to + c * rows);
  }
  return c;
}

constexpr bool is_few(int64_t count) { return count >= 2 && count <= 4; }

// Transposes matrices with few columns or few rows, if their rows are contiguous in memory. Returns false for other
// matrices.
template <typename T>
bool transpose_few(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows, int64_t columns) {
  if (is_few(columns) && from_stride == columns) {
    const int64_t first = separate(from, to, to_stride, rows, columns);
    transpose_rest(from, from_stride, to, to_stride, first, rows, 0, columns);
    return true;
  }
  if (!is_few(rows) || to_stride != rows) return false;
  const int64_t first = interleave(from, from_stride, to, rows, columns);
  transpose_rest(from, from_stride, to, to_stride, 0, rows, first, columns);
  return true;
}

void transpose_u32(const uint32_t* from, int64_t from_stride, uint32_t* to, int64_t to_stride, int64_t rows,
                   int64_t columns) {
  if (transpose_few(from, from_stride, to, to_stride, rows, columns)) return;
  const hn::CappedTag<uint32_t, 16> d;
  const hn::CappedTag<uint32_t, 4> block;
  const int64_t whole = transpose_strips(d, from, from_stride, to, to_stride, 0, rows, columns);
  const int64_t rest = transpose_strips(block, from, from_stride, to, to_stride, whole, rows, columns);
  transpose_rest(from, from_stride, to, to_stride, rest, rows, 0, columns);
}

void transpose_tile_u8(const uint8_t* from, int64_t from_stride, uint8_t* to, int64_t to_stride) {
  const hn::CappedTag<uint8_t, 16> d;
  hn::Vec<decltype(d)> tile[16];
  for (int64_t i = 0; i < 16; ++i) tile[i] = hn::LoadU(d, from + i * from_stride);
  transpose16(d, tile);
  for (int64_t i = 0; i < 16; ++i) hn::StoreU(tile[i], d, to + i * to_stride);
}

void transpose_u8(const uint8_t* from, int64_t from_stride, uint8_t* to, int64_t to_stride, int64_t rows,
                  int64_t columns) {
  if (transpose_few(from, from_stride, to, to_stride, rows, columns)) return;
  int64_t r = 0;
  for (; r + 16 <= rows; r += 16) {
    int64_t c = 0;
    for (; c + 16 <= columns; c += 16)
      transpose_tile_u8(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
    transpose_rest(from, from_stride, to, to_stride, r, r + 16, c, columns);
  }
  transpose_rest(from, from_stride, to, to_stride, r, rows, 0, columns);
}

#endif  // HWY_TARGET == HWY_SCALAR

// For 8-byte elements, vectors have too few lanes to help. Strips of rows keep the output lines in cache.
void transpose_u64(const uint64_t* from, int64_t from_stride, uint64_t* to, int64_t to_stride, int64_t rows,
                   int64_t columns) {
  for (int64_t r = 0; r < rows; r += 8)
    transpose_rest(from, from_stride, to, to_stride, r, r + 8 < rows ? r + 8 : rows, 0, columns);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(transpose_u8)
NESTRT_SIMD_EXPORT(transpose_u32)
NESTRT_SIMD_EXPORT(transpose_u64)

void transpose_matrix(size_t element_bytes, const std::byte* from, int64_t from_stride, std::byte* to,
                      int64_t to_stride, int64_t rows, int64_t columns) {
  const auto run = [&]<typename T>(const SimdTable<void (*)(const T*, int64_t, T*, int64_t, int64_t, int64_t)>& table) {
    simd_pick(table)(reinterpret_cast<const T*>(from), from_stride, reinterpret_cast<T*>(to), to_stride, rows, columns);
  };
  switch (element_bytes) {
    case 1:
      return run(transpose_u8_table);
    case 4:
      return run(transpose_u32_table);
    default:
      return run(transpose_u64_table);
  }
}

}  // namespace nestrt::kernels
#endif
