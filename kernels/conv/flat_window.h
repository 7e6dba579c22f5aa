// SPDX-License-Identifier: Apache-2.0
// A window: the plain inputs that adjacent outputs of a convolution read. They are copied with their padding, so that a
// tap reads the inputs of adjacent outputs from adjacent memory (kernels/common/gemm_f32/shift_tile.h). With a stride,
// inputs are sorted by phase: their position modulo the stride.
//
// Order of a window: [channels][depth phases][height phases][width phases][rows][columns]. Outputs are numbered
// consecutively over rows of `pitch` columns; outputs past the end of a row have unspecified sums.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/common/gemm_f32/shift_tile.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

inline constexpr int64_t kWindowFloats = 48 * 1024;           // fits a second-level cache of 256 KB
inline constexpr int64_t kMaxWindowFloats = 4 * 1024 * 1024;  // convolutions with larger ones use the reference

// Splits `outputs` into even parts until floats(part), the size of a window, is small. Returns the size of the parts,
// at least 1.
template <typename Floats>
int64_t part_that_fits(int64_t outputs, Floats floats) {
  int64_t parts = 1;
  while (parts < outputs && floats(ceil_div(outputs, parts)) > kWindowFloats) parts *= 2;
  return std::max<int64_t>(1, ceil_div(outputs, parts));
}

// The inputs along one axis. Element j of a phase is input begin + phase + j * stride.
struct WindowAxis {
  int64_t stride = 1;
  std::vector<int64_t> phases = {0};
  int64_t length = 1;
};

class FlatWindow {
 public:
  using Index = std::array<int64_t, 3>;  // depth, height, width

  // `axes`: depth, height, width. The depth axis has length 1.
  FlatWindow(const ConvGeometry& geometry, std::array<WindowAxis, 3> axes);

  int64_t pitch() const { return axes_[2].length; }
  // Returns the number of floats, including those that tiles read past the end of the window.
  int64_t size() const { return size_ + kShiftColumns; }
  // Returns the position of an element in the window. `phase`: the index of its phase in each axis's
  // WindowAxis::phases.
  int64_t position(int64_t channel, const Index& phase, int64_t row, int64_t column) const;
  // Copies the inputs of the first `rows` rows and `columns` columns of each phase. `input`: the first channel. `begin`
  // may be outside the image; elements outside are set to zero.
  void fill(const float* input, const Index& begin, int64_t rows, int64_t columns, float* to) const;

 private:
  void fill_row(const float* line, int64_t begin, int64_t columns, float* to) const;

  int64_t channels_;
  std::array<int64_t, 3> input_;  // extents
  std::array<WindowAxis, 3> axes_;
  int64_t size_ = 0;
  void (*take_every_)(const float* from, int64_t stride, int64_t count, float* to);
};

// A range of the outputs of a window: columns [first, last), counted over all of its rows.
struct FlatRange {
  int64_t first = 0, last = 0;
};

// Determines how the tiles of a window cover its outputs: row by row, or across all rows, whichever computes fewer
// columns.
class FlatRanges {
 public:
  // Splits `rows` x `columns` outputs into ranges of at most `max_columns`, a multiple of kShiftColumns.
  FlatRanges(int64_t rows, int64_t columns, int64_t pitch, int64_t max_columns);

  int64_t count() const { return ranges_ * steps_; }
  FlatRange at(int64_t index) const;
  // Calls visit(row, first column, number of columns, position in the range) for the outputs of a range.
  template <typename Visit>
  void for_each_run(const FlatRange& range, Visit visit) const {
    for (int64_t at = range.first; at < range.last;) {
      const int64_t row = at / pitch_, column = at % pitch_;
      const int64_t count = (column < columns_ ? columns_ : pitch_) - column;
      const int64_t inside = count < range.last - at ? count : range.last - at;
      if (column < columns_) visit(row, column, inside, at - range.first);
      at += inside;
    }
  }

 private:
  int64_t columns_, pitch_, max_columns_;
  int64_t ranges_ = 1, length_ = 0;  // rows, or one range of all rows
  int64_t steps_ = 1;                // of max_columns_ in each
};

}  // namespace nestrt::kernels
