// ImageFold: writes an image of s8 in a folded layout (nestrt/data_type.h) or in blocked16, row by row, from rows of
// the plain image that the caller brings.
#pragma once

#include "kernels/common/layout/folded_rows.h"
#include "kernels/common/math/saturate.h"
#include "nestrt/driver/function_ref.h"
#include "nestrt/driver/kernel.h"

namespace nestrt::kernels {

class ImageFold {
 public:
  // Whether the tensor is such an image, of few channels and of one pixel at least.
  static bool accepts(const TensorSpec& output);

  // Requires: accepts().
  explicit ImageFold(const TensorSpec& output);

  ScratchSize scratch() const { return {0, saturated_bytes(row_.fold * row_.channels, row_.plain_columns(), 1)}; }

  // Writes a row of the plain image, as wide as that is: bring(row, to), `row` of all images and channels.
  using BringRow = FunctionRef<void(int64_t row, int8_t* to)>;
  void run(const KernelCall& call, BringRow bring) const;

 private:
  void bring_rows(int64_t image, int64_t folded_row, BringRow bring, int8_t* to) const;

  Shape shape_;
  FoldedRow row_;
  int64_t folded_rows_;  // of an image
  int64_t image_bytes_;
  S8FoldFunction fold_;
};

}  // namespace nestrt::kernels
