// SPDX-License-Identifier: Apache-2.0
// Formats instructions as readable text.
#pragma once

#include <string>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

// Returns one line without a newline, such as "gemm  uop [3,11) loop 14 x 9 dst 1,2 src 3,4 wgt 5,6  pop_prev
// push_prev". The two numbers of dst, src and wgt are the factors of the outer and the inner loop.
std::string disassemble(const Instruction& instruction);

// Returns text such as "dst 1 src 2 wgt 3".
std::string disassemble(const MicroOp& micro_op);

}  // namespace nestrt::evta
