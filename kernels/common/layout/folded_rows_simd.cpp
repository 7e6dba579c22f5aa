// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/layout/folded_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/common/layout/folded_rows_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/shuffle16-inl.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::kernels::HWY_NAMESPACE {
namespace {

void fold_bytes(const FoldedRow& row, const int8_t* from, int8_t* to) {
  const int64_t channels = row.channels * row.fold * row.fold;
  for (int64_t lane = 0; lane < row.blocks() * kFoldedBlock; ++lane) {
    const int64_t pixel = lane / row.channels, channel = lane % row.channels;
    const int8_t* const plain = from + (pixel / row.fold * row.channels + channel) * row.plain_columns();
    int8_t* const block = to + lane / kFoldedBlock * row.block_stride + lane % kFoldedBlock;
    for (int64_t x = 0; x < row.columns; ++x)
      block[x * kFoldedBlock] = lane < channels ? plain[x * row.fold + pixel % row.fold] : int8_t{0};
  }
}

void unfold_bytes(const FoldedRow& row, int64_t first, int64_t last, const int8_t* from, const UnfoldedRows& to) {
  for (int64_t y = first; y < last; ++y)
    for (int64_t lane = y * row.fold * row.channels; lane < (y + 1) * row.fold * row.channels; ++lane) {
      const int64_t channel = lane % row.channels, part = lane / row.channels % row.fold;
      const int8_t* const block = from + lane / kFoldedBlock * row.block_stride + lane % kFoldedBlock;
      int8_t* const plain = to.begin + channel * to.channel_stride + (y - first) * to.row_stride + part;
      for (int64_t x = 0; x < row.plain_columns() / row.fold; ++x)
        plain[x * row.fold] = x < row.columns ? block[x * kFoldedBlock] : int8_t{0};
    }
}

#if HWY_TARGET != HWY_SCALAR  // a single lane cannot shuffle

namespace hn = hwy::HWY_NAMESPACE;
using D16 = hn::CappedTag<int8_t, kFoldedBlock>;
using V16 = hn::Vec<D16>;

// The folded channels of 16 pixels, one row per channel, for folds of 1 and 2.
struct Tile {
  HWY_ALIGN int8_t lanes[kMaxFoldedChannels * 2 * 2][kFoldedBlock];
};

// Transposes 16 rows of 16 bytes and writes the first `columns` rows of the result. Only the first `rows` rows are
// read; the others count as zeros.
HWY_NOINLINE void exchange(const int8_t* from, int64_t rows, int8_t* to, int64_t columns) {
  const D16 d;
  V16 block[kFoldedBlock];
  for (int64_t i = 0; i < kFoldedBlock; ++i) block[i] = i < rows ? hn::LoadU(d, from + i * kFoldedBlock) : hn::Zero(d);
  transpose16(d, block);
  for (int64_t i = 0; i < kFoldedBlock; ++i)
    if (i < columns) hn::StoreU(block[i], d, to + i * kFoldedBlock);
}

template <int64_t kFold>
void fold_by(const FoldedRow& row, const int8_t* from, int8_t* to) {
  const D16 d;
  const int64_t channels = row.channels, lanes = channels * kFold * kFold;
  Tile tile;
  for (int64_t column = 0; column < row.columns; column += kFoldedBlock) {
    for (int64_t i = 0; i < kFold * channels; ++i) {  // rows of the plain image
      const int8_t* const plain = from + i * row.plain_columns() + column * kFold;
      int8_t(*const lane)[kFoldedBlock] = tile.lanes + i / channels * kFold * channels + i % channels;
      const V16 low = hn::LoadU(d, plain);
      if constexpr (kFold == 1) {
        hn::Store(low, d, lane[0]);
      } else {
        const V16 high = hn::LoadU(d, plain + kFoldedBlock);
        hn::Store(hn::ConcatEven(d, high, low), d, lane[0]);
        hn::Store(hn::ConcatOdd(d, high, low), d, lane[channels]);
      }
    }
    for (int64_t block = 0; block < row.blocks(); ++block)
      exchange(tile.lanes[block * kFoldedBlock], lanes - block * kFoldedBlock,
               to + block * row.block_stride + column * kFoldedBlock, row.columns - column);
  }
}

template <int64_t kFold>
void unfold_by(const FoldedRow& row, int64_t first, int64_t last, const int8_t* from, const UnfoldedRows& to) {
  const D16 d;
  const int64_t channels = row.channels, lanes = channels * kFold * kFold;
  Tile tile;
  for (int64_t column = 0; column < row.columns; column += kFoldedBlock) {
    for (int64_t block = 0; block < row.blocks(); ++block)
      exchange(from + block * row.block_stride + column * kFoldedBlock, row.columns - column,
               tile.lanes[block * kFoldedBlock], lanes - block * kFoldedBlock);
    for (int64_t y = first; y < last; ++y)
      for (int64_t channel = 0; channel < channels; ++channel) {
        int8_t* const plain = to.begin + channel * to.channel_stride + (y - first) * to.row_stride + column * kFold;
        const int8_t(*const lane)[kFoldedBlock] = tile.lanes + y * kFold * channels + channel;
        const V16 even = hn::Load(d, lane[0]);
        if constexpr (kFold == 1) {
          hn::StoreU(even, d, plain);
        } else {
          const V16 odd = hn::Load(d, lane[channels]);
          hn::StoreU(hn::InterleaveLower(d, even, odd), d, plain);
          hn::StoreU(hn::InterleaveUpper(d, even, odd), d, plain + kFoldedBlock);
        }
      }
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace

// Only folds of 1 and 2 are vectorized, because the first convolution of a network usually has a stride of 1 or 2.
void s8_fold(const FoldedRow& row, const int8_t* from, int8_t* to) {
#if HWY_TARGET != HWY_SCALAR
  if (row.fold == 1) return fold_by<1>(row, from, to);
  if (row.fold == 2) return fold_by<2>(row, from, to);
#endif
  fold_bytes(row, from, to);
}

void s8_unfold(const FoldedRow& row, int64_t first, int64_t last, const int8_t* from, const UnfoldedRows& to) {
#if HWY_TARGET != HWY_SCALAR
  if (row.fold == 1) return unfold_by<1>(row, first, last, from, to);
  if (row.fold == 2) return unfold_by<2>(row, first, last, from, to);
#endif
  unfold_bytes(row, first, last, from, to);
}

}  // namespace nestrt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::kernels {

NESTRT_SIMD_EXPORT(s8_fold)
NESTRT_SIMD_EXPORT(s8_unfold)

S8FoldFunction s8_fold_function() { return simd_pick(s8_fold_table); }
S8UnfoldFunction s8_unfold_function() { return simd_pick(s8_unfold_table); }

}  // namespace nestrt::kernels
#endif
