// SPDX-License-Identifier: Apache-2.0
// The axes of a reduction. Axes of one element are dropped, and adjacent axes are merged.
#pragma once

#include "kernels/common/layout/strided.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Output element [kept][column] is the reduction of x[kept][reduced][row][column] over `reduced` and the rows. Rows are
// `width` elements apart. If the innermost axis is reduced, `width` is 1.
struct ReduceGroups {
  StridedAxes kept, reduced;
  int64_t rows = 1, width = 1;

  int64_t reduction() const { return reduced.count() * rows; }
};

// Requires: the input has elements.
ReduceGroups reduce_groups(const OperatorSpec& spec);

}  // namespace nestrt::kernels
