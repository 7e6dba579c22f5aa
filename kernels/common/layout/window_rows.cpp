// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/layout/window_rows.h"

#include <algorithm>
#include <limits>

namespace nestrt::kernels {

int64_t WindowRows::max_input_rows(int64_t rows) const {
  int64_t most = 0;
  const bool overflow = __builtin_mul_overflow(rows - 1, rows_.stride, &most) ||
                        __builtin_add_overflow(most, (rows_.kernel - 1) * rows_.dilation + 1, &most);
  return std::min(overflow ? std::numeric_limits<int64_t>::max() : most, rows_.input.rows);
}

RowWindow WindowRows::input_rows(RowWindow rows) const {
  const int64_t begin = rows.first * rows_.stride - rows_.pad_begin;
  const int64_t end = begin + (rows.count - 1) * rows_.stride + (rows_.kernel - 1) * rows_.dilation + 1;
  const int64_t first = std::clamp<int64_t>(begin, 0, rows_.input.rows);
  return {first, std::clamp<int64_t>(end, first, rows_.input.rows) - first};
}

}  // namespace nestrt::kernels
