// SPDX-License-Identifier: Apache-2.0
// MatMulInteger: products of s8 or u8 matrices with zero points, and optionally scales, that may be computed at run
// time. See ops::MatMulInteger for the definition.
//
// Variants (plain layout):
//   matmul_integer.panel16    multiplies with the s8 tile; b is packed in the plan (s8_panel), in prepare() if it is
//                             another constant, or in every run
//   matmul_integer.reference
#pragma once

#include "kernels/matmul/matmul.h"
#include "runtime/kernel/kernel.h"

namespace nestrt::kernels {

// Fully validates the operator. Errors: kInvalidModel, kUnsupported.
Result<MatMulGeometry> matmul_integer_geometry(const OperatorSpec& spec);

// The variants.
Result<std::unique_ptr<Kernel>> prepare_matmul_integer_reference(const OperatorSpec& spec);
bool accepts_matmul_integer_panel16(const OperatorSpec& spec);
Result<std::unique_ptr<Kernel>> prepare_matmul_integer_panel16(const OperatorSpec& spec);

}  // namespace nestrt::kernels
