// SPDX-License-Identifier: Apache-2.0
// S8Unfold: unfolds the input rows that conv.s8.stem16 needs for an output row. The image has blocks of 16 channels,
// which may be folded (nestrt/data_type.h).
#pragma once

#include "kernels/common/layout/folded_rows.h"
#include "kernels/conv/geometry.h"

namespace nestrt::kernels {

class S8Unfold {
 public:
  // Returns whether the input can be unfolded. Requires: conv_geometry() accepts the operator.
  static bool accepts(const ConvGeometry& geometry, const TensorSpec& input);

  // `columns`: the number of padded input columns that a row of outputs reads, a multiple of 16. Requires: accepts().
  S8Unfold(const ConvGeometry& geometry, Layout layout, int64_t columns);

  // Returns the distance in bytes between the rows that run() writes: at least `columns`, and a multiple of 16.
  int64_t stride() const { return stride_; }
  // Writes [channels][kernel height][stride()] for output row `row` of an image; the first `columns` bytes of each row
  // are valid.
  void run(const int8_t* input, int64_t image, int64_t row, int8_t* to) const;

 private:
  void clear(int64_t first, int64_t last, int64_t from_column, int64_t to_column, int8_t* to) const;

  ConvAxis height_, width_;
  FoldedRow row_;
  int64_t folded_rows_;
  int64_t columns_, stride_;
  S8UnfoldFunction unfold_;
};

}  // namespace nestrt::kernels
