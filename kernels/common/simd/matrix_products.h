// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nestrt::kernels {

// Returns whether kernels for InstructionSet::kNeonDotprod may use the matrix products of bytes of Armv8.6 (I8MM). They
// are not an instruction set of plans, because they do not change the choice of kernels. NESTRT_ISA=neon-dotprod
// disables them.
bool use_matrix_products();

}  // namespace nestrt::kernels
