// SPDX-License-Identifier: Apache-2.0
// The axes of a reduction, with axes of one element dropped and adjacent ones merged.
#pragma once

#include "kernels/common/layout/strided.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// An output element [kept][column] is the reduction of x[kept][reduced][row][column] over `reduced` and the rows.
// `width` is 1 if the innermost axis is reduced. Rows are `width` elements apart.
struct ReduceGroups {
  StridedAxes kept, reduced;
  int64_t rows = 1, width = 1;

  int64_t reduction() const { return reduced.count() * rows; }
};

// Requires: the input has elements.
ReduceGroups reduce_groups(const OperatorSpec& spec);

}  // namespace nestrt::kernels
