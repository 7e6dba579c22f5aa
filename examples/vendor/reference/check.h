// Whether operators and tensors of a program fit each other. A blob may be anybody's, with a digest that matches.
#pragma once

#include "program.h"

namespace reference {

// Throws BadProgram with the operator.
void check_program(const Program& program);

}  // namespace reference
