// SPDX-License-Identifier: Apache-2.0
// Elements of tensors of any type, as numbers.
#pragma once

#include <cstddef>

#include "nestrt/tensor.h"

namespace nestrt::tools {

// Returns element `index` of a plain tensor. Requires: index < the number of elements.
double element(const ConstTensorView& tensor, size_t index);

// Returns image `row` of a batch: the tensor without its first dimension. Requires: rank >= 1, row < shape[0].
ConstTensorView row_of(const ConstTensorView& batch, size_t row);

}  // namespace nestrt::tools
