// SPDX-License-Identifier: Apache-2.0
// Reads and fully checks scales and zero points of operators. Errors: kInvalidModel, naming the operand.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/common/quantization/s8_operands.h"
#include "kernels/common/quantization/s8c_arithmetic.h"

namespace nestrt::kernels::s8c {

// Returns whether the tensor's integers have scales (s8c), rather than exponents (s8) or no quantization.
bool has_scales(const TensorSpec& tensor);

// Returns the scale and zero point of a tensor that must have exactly one of each. `what` names the operand, e.g. "the
// input".
Result<Affine> affine_of(const TensorSpec& tensor, std::string_view what);

// Scales and zero points of s8, u8 and s32 tensors, possibly one per index of an axis.
struct AffineMap {
  std::vector<Affine> entries;
  int64_t inner = 1;  // number of elements between neighbours along the axis

  const Affine& at(int64_t element) const {
    return entries.size() == 1 ? entries[0] : entries[static_cast<size_t>(element / inner) % entries.size()];
  }
};
Result<AffineMap> affine_map_of(const TensorSpec& tensor, std::string_view what);

// The factors and zero points for an addition of s8c tensors.
struct Addition {
  AddFactors factors;
  int32_t zero_a = 0;
  int32_t zero_b = 0;
  Affine to;
};
Result<Addition> addition_of(const OperatorSpec& spec);

}  // namespace nestrt::kernels::s8c
