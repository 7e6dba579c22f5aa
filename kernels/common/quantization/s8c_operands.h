// SPDX-License-Identifier: Apache-2.0
// Reads and validates the scales and zero points of operators. Errors: kInvalidModel, naming the operand.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/common/quantization/s8_operands.h"
#include "kernels/common/quantization/s8c_arithmetic.h"

namespace nestrt::kernels::s8c {

// Returns whether the tensor is quantized with scales (s8c), as opposed to exponents (s8) or not at all.
bool has_scales(const TensorSpec& tensor);

// Returns the scale and zero point of a tensor that must have exactly one of each. `what` names the operand, e.g. "the
// input".
Result<Affine> affine_of(const TensorSpec& tensor, std::string_view what);

// The scales and zero points of an s8, u8 or s32 tensor: one pair, or one per index along an axis.
struct AffineMap {
  std::vector<Affine> entries;
  int64_t inner = 1;  // number of elements between neighbours along the axis

  const Affine& at(int64_t element) const {
    return entries.size() == 1 ? entries[0] : entries[static_cast<size_t>(element / inner) % entries.size()];
  }
};
Result<AffineMap> affine_map_of(const TensorSpec& tensor, std::string_view what);

// The factors and zero points of a Binary with s8c tensors.
struct BinaryFactors {
  ops::BinaryKind kind = ops::BinaryKind::kAdd;
  bool adds_exactly = false;  // add, sub: of `scales`; otherwise by the factors of `sum`
  AddScales scales;
  AddFactors sum;
  float ratio_a = 1;        // prelu: of a to a step of the output
  float ratio_product = 1;  // mul, prelu: of a * b to a step of the output
  int32_t zero_a = 0;
  int32_t zero_b = 0;
  Affine to;
  Bounds bounds;
};
// Requires: an s8 Binary whose first input has scales. Errors: as above, and kUnsupported for kinds without an s8c
// form.
Result<BinaryFactors> binary_factors(const OperatorSpec& spec);

// Returns an element of the result.
inline int8_t combine(const BinaryFactors& factors, int8_t a, int8_t b) {
  const int32_t steps_a = a - factors.zero_a, steps_b = b - factors.zero_b;
  switch (factors.kind) {
    case ops::BinaryKind::kMul:
      return narrow(steps_a * steps_b, factors.ratio_product, factors.to.zero_point, factors.bounds);
    case ops::BinaryKind::kPrelu:
      return steps_a < 0 ? narrow(steps_a * steps_b, factors.ratio_product, factors.to.zero_point, factors.bounds)
                         : narrow(steps_a, factors.ratio_a, factors.to.zero_point, factors.bounds);
    case ops::BinaryKind::kMin:
      return s8::clip(std::min(a, b), factors.bounds);
    case ops::BinaryKind::kMax:
      return s8::clip(std::max(a, b), factors.bounds);
    default: {
      const int32_t steps =
          factors.adds_exactly ? add_exactly(steps_a, steps_b, factors.scales) : add(steps_a, steps_b, factors.sum);
      return s8::clip(int64_t{steps} + factors.to.zero_point, factors.bounds);
    }
  }
}

}  // namespace nestrt::kernels::s8c
