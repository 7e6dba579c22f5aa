// SPDX-License-Identifier: Apache-2.0
// Checks that operators and tensors of a program match. A blob is untrusted even if its digest is correct.
#pragma once

#include "program.h"

namespace reference {

// Throws BadProgram, which names the operator.
void check_program(const Program& program);

}  // namespace reference
