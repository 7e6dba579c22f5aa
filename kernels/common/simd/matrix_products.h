// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nestrt::kernels {

// Returns whether kernels for InstructionSet::kNeonDotprod may use the byte matrix products of Armv8.6 (I8MM). These
// are not a separate instruction set in plans, because they do not affect the choice of kernels.
// NESTRT_ISA=neon-dotprod disables them.
bool use_matrix_products();

}  // namespace nestrt::kernels
