// SPDX-License-Identifier: Apache-2.0
// ConvInteger: convolution of s8 or u8 integers with zero points, and optionally scales, that may be computed at run
// time. See ops::ConvInteger for the definition.
//
// Variants (plain layout):
//   conv_integer.image      constant weights; packs the inputs of some pixels and multiplies them with the s8 tile
//   conv_integer.reference
#pragma once

#include "kernels/conv/geometry.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Fully validates the operator. Errors: kInvalidModel, kUnsupported.
Result<ConvGeometry> conv_integer_geometry(const OperatorSpec& spec);

// The variants.
Result<std::unique_ptr<Kernel>> prepare_conv_integer_reference(const OperatorSpec& spec);
bool accepts_conv_integer_image(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_conv_integer_image(const OperatorSpec& spec);

}  // namespace nestrt::kernels
