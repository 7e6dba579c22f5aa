// SPDX-License-Identifier: Apache-2.0
// WindowRows: base class of row kernels in which each output row depends on a window of input rows.
#pragma once

#include <cstdint>

#include "runtime/kernel/row_kernel.h"

namespace nestrt::kernels {

struct RowGeometry {
  RowImages input, output;
  // Window parameters along the rows.
  int64_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0;
};

class WindowRows : public RowKernel {
 public:
  RowImages row_input() const final { return rows_.input; }
  RowImages row_output() const final { return rows_.output; }
  int64_t max_input_rows(int64_t rows) const final;
  RowWindow input_rows(RowWindow rows) const final;

 protected:
  explicit WindowRows(const RowGeometry& rows) : rows_(rows) {}
  ~WindowRows() = default;

 private:
  RowGeometry rows_;
};

}  // namespace nestrt::kernels
