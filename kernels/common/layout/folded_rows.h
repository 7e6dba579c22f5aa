// SPDX-License-Identifier: Apache-2.0
// Converts rows of s8 images between the plain layout and blocks of 16 folded channels (Layout in nestrt/data_type.h).
// There is one function per instruction set. A fold of 1 is blocked16.
#pragma once

#include <cstdint>

namespace nestrt::kernels {

// Limits. Images have at most 8 channels, folded by 1, 2, 4 or 8.
inline constexpr int64_t kMaxFoldedChannels = 8;
inline constexpr int64_t kFoldedBlock = 16;

struct FoldedRow {
  int64_t channels = 1;  // number of channels in the plain image
  int64_t fold = 1;
  int64_t columns = 1;       // number of columns in the folded image
  int64_t block_stride = 0;  // bytes between blocks of folded channels

  int64_t blocks() const { return (channels * fold * fold + kFoldedBlock - 1) / kFoldedBlock; }
  // Returns the number of columns of a plain row that the functions read or write, including columns beyond the image.
  int64_t plain_columns() const { return (columns + kFoldedBlock - 1) / kFoldedBlock * kFoldedBlock * fold; }
};

// Writes a row of folded pixels. `from`: [fold][channels][row.plain_columns()].
using S8FoldFunction = void (*)(const FoldedRow& row, const int8_t* from, int8_t* to);
S8FoldFunction s8_fold_function();

// The destination of plain rows: row r of a channel is at begin + channel * channel_stride + r * row_stride.
struct UnfoldedRows {
  int8_t* begin = nullptr;
  int64_t channel_stride = 0;
  int64_t row_stride = 0;
};

// Writes the plain rows [first, last) contained in a row of folded pixels. Plain row `first` is written to row 0. Each
// row has row.plain_columns() elements.
using S8UnfoldFunction = void (*)(const FoldedRow& row, int64_t first, int64_t last, const int8_t* from,
                                  const UnfoldedRows& to);
S8UnfoldFunction s8_unfold_function();

}  // namespace nestrt::kernels
