// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/s8/conv_s8_unfold.h"

#include <algorithm>
#include <cstring>

#include "kernels/common/math/channel_division.h"
#include "kernels/common/math/integers.h"

namespace nestrt::kernels {

bool S8Unfold::accepts(const ConvGeometry& geometry, const TensorSpec& input) {
  return input.shape.rank() == 4 && block_size(input.layout) == kFoldedBlock && has_exponents(input) &&
         geometry.in_channels <= kMaxFoldedChannels && geometry.axes[1].dilation == 1;
}

S8Unfold::S8Unfold(const ConvGeometry& geometry, Layout layout, int64_t columns)
    : height_(geometry.axes[1]), width_(geometry.axes[2]), columns_(columns), unfold_(s8_unfold_function()) {
  row_.channels = geometry.in_channels;
  row_.fold = fold_of(layout);
  row_.columns = ceil_div(width_.input, row_.fold);
  folded_rows_ = ceil_div(height_.input, row_.fold);
  row_.block_stride = folded_rows_ * row_.columns * kFoldedBlock;
  stride_ = std::max(columns_, round_up(width_.pad_begin + row_.plain_columns(), 16));
}

// For each row of folded pixels in turn, unfolds the plain rows that the taps read.
void S8Unfold::run(const int8_t* input, int64_t image, int64_t row, int8_t* to) const {
  const int64_t fold = row_.fold, top = row * height_.stride - height_.pad_begin;
  const int64_t filled = std::min(stride_, width_.pad_begin + row_.plain_columns());
  const int8_t* const pixels = input + image * row_.blocks() * row_.block_stride;
  for (int64_t tap = 0; tap < height_.kernel;) {
    const int64_t y = top + tap;
    // Rows before the image are not folded; one step clears all of their taps.
    const int64_t part = y < 0 ? 0 : y % fold, rows = y < 0 ? -y : fold - part;
    const int64_t end = std::min(height_.kernel, tap + rows);
    if (y < 0 || y / fold >= folded_rows_) {
      clear(tap, end, 0, columns_, to);
    } else {
      clear(tap, end, 0, width_.pad_begin, to);
      unfold_(row_, part, part + end - tap, pixels + y / fold * row_.columns * kFoldedBlock,
              {to + tap * stride_ + width_.pad_begin, height_.kernel * stride_, stride_});
      clear(tap, end, filled, columns_, to);
    }
    tap = end;
  }
}

// Clears columns of the taps [first, last) of every channel.
void S8Unfold::clear(int64_t first, int64_t last, int64_t from_column, int64_t to_column, int8_t* to) const {
  if (from_column >= to_column) return;
  for (int64_t channel = 0; channel < row_.channels; ++channel)
    for (int64_t tap = first; tap < last; ++tap)
      std::memset(to + (channel * height_.kernel + tap) * stride_ + from_column, 0,
                  static_cast<size_t>(to_column - from_column));
}

}  // namespace nestrt::kernels
