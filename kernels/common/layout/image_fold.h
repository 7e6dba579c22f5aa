// SPDX-License-Identifier: Apache-2.0
// ImageFold: writes an s8 image row by row, in a folded layout (nestrt/data_type.h) or in blocked16. The caller
// provides plain rows.
#pragma once

#include "kernels/common/layout/folded_rows.h"
#include "kernels/common/math/saturate.h"
#include "runtime/core/function_ref.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

class ImageFold {
 public:
  // Returns whether `output` is an s8 image in a folded layout or blocked16, with few channels and at least one pixel.
  static bool accepts(const TensorSpec& output);

  // Requires: accepts().
  explicit ImageFold(const TensorSpec& output);

  ScratchSize scratch() const { return {0, saturated_bytes(row_.fold * row_.channels, row_.plain_columns(), 1)}; }

  // Writes plain row `row` to `to`, without padding. Rows are counted over all images and channels.
  using FillRow = FunctionRef<void(int64_t row, int8_t* to)>;
  void run(const KernelCall& call, FillRow fill_row) const;

 private:
  void fill_rows(int64_t image, int64_t folded_row, FillRow fill_row, int8_t* to) const;

  Shape shape_;
  FoldedRow row_;
  int64_t folded_rows_;  // per image
  int64_t image_bytes_;
  S8FoldFunction fold_;
};

}  // namespace nestrt::kernels
