// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/layout/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/layout/transpose.h"
#include "kernels/common/math/integers.h"

namespace nestrt::kernels {
namespace {

template <typename T>
void copy_row(const T* from, T* to, const CopyAxis& column) {
  if (column.to == 1 && column.from == 1) {
    std::memcpy(to, from, static_cast<size_t>(column.count) * sizeof(T));
  } else if (column.to == 1 && column.from == 0) {
    std::fill_n(to, column.count, *from);
  } else {
    for (int64_t i = 0; i < column.count; ++i) to[i * column.to] = from[i * column.from];
  }
}

template <typename T>
void copy_rows(const std::byte* from, std::byte* to, const CopyAxis& row, int64_t rows, const CopyAxis& column) {
  for (int64_t r = 0; r < rows; ++r)
    copy_row(reinterpret_cast<const T*>(from) + r * row.from, reinterpret_cast<T*>(to) + r * row.to, column);
}

void copy_plane(size_t element_bytes, const std::byte* from, std::byte* to, const CopyAxis& row, int64_t rows,
                const CopyAxis& column) {
  // The rows are adjacent in the input, so this is a transpose.
  if (row.from == 1 && column.to == 1 && column.from > 1)
    return transpose_matrix(element_bytes, from, column.from, to, row.to, column.count, rows);
  switch (element_bytes) {
    case 1:
      return copy_rows<uint8_t>(from, to, row, rows, column);
    case 4:
      return copy_rows<uint32_t>(from, to, row, rows, column);
    default:
      return copy_rows<uint64_t>(from, to, row, rows, column);
  }
}

}  // namespace

StridedCopy::StridedCopy(size_t element_bytes, std::span<const CopyAxis> axes, int64_t from_offset, int64_t to_offset)
    : element_bytes_(element_bytes), from_offset_(from_offset), to_offset_(to_offset) {
  // Uses insertion sort for the few axes, because the code of the standard library's stable sort would be five times as
  // large as this file's.
  std::array<CopyAxis, kMaxAxes> sorted{};
  size_t count = 0;
  for (const CopyAxis& axis : axes) {
    size_t at = count++;
    for (; at > 0 && sorted[at - 1].to < axis.to; --at) sorted[at] = sorted[at - 1];
    sorted[at] = axis;
  }
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count);
  empty_ = std::any_of(sorted.begin(), end, [](const CopyAxis& axis) { return axis.count == 0; });
  std::for_each(sorted.begin(), end, [this](const CopyAxis& axis) { add_merged(axis); });
  choose_plane();
}

// Appends an axis inside the previous ones, or merges it with the last one if the two are contiguous.
void StridedCopy::add_merged(const CopyAxis& axis) {
  if (axis.count == 1) return;
  if (num_outer_ > 0) {
    CopyAxis& last = outer_[num_outer_ - 1];
    if (last.from == axis.from * axis.count && last.to == axis.to * axis.count) {
      last = {last.count * axis.count, axis.from, axis.to};
      return;
    }
  }
  outer_[num_outer_++] = axis;
}

void StridedCopy::choose_plane() {
  if (num_outer_ > 0) column_ = outer_[--num_outer_];
  if (num_outer_ == 0) return;
  // In a transpose, the axis that is contiguous in the input becomes the rows.
  size_t row = num_outer_ - 1;
  for (size_t i = 0; column_.from != 1 && i < num_outer_; ++i)
    if (outer_[i].from == 1) row = i;
  row_ = outer_[row];
  std::copy(outer_.begin() + static_cast<std::ptrdiff_t>(row) + 1,
            outer_.begin() + static_cast<std::ptrdiff_t>(num_outer_),
            outer_.begin() + static_cast<std::ptrdiff_t>(row));
  --num_outer_;
}

void StridedCopy::run(const std::byte* from, std::byte* to, ParallelRunner& runner) const {
  if (empty_) return;
  constexpr int64_t kStrip = 16;  // rows per work item: the part of a cache line that a transposing tile reads
  const auto size = static_cast<int64_t>(element_bytes_);
  const int64_t strips = ceil_div(row_.count, kStrip);
  int64_t planes = 1;
  for (size_t i = 0; i < num_outer_; ++i) planes *= outer_[i].count;
  parallel_ranges(
      runner, planes * strips, std::min(kStrip, row_.count) * column_.count, [&](int64_t first, int64_t last) {
        while (first < last) {
          const int64_t strip = first % strips, count = std::min(strips - strip, last - first);
          int64_t plane = first / strips;
          int64_t source = from_offset_ + strip * kStrip * row_.from, target = to_offset_ + strip * kStrip * row_.to;
          for (size_t i = num_outer_; i-- > 0; plane /= outer_[i].count) {
            source += plane % outer_[i].count * outer_[i].from;
            target += plane % outer_[i].count * outer_[i].to;
          }
          const int64_t rows = std::min(count * kStrip, row_.count - strip * kStrip);
          copy_plane(element_bytes_, from + source * size, to + target * size, row_, rows, column_);
          first += count;
        }
      });
}

}  // namespace nestrt::kernels
