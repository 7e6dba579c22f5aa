// SPDX-License-Identifier: Apache-2.0
// Encodes instructions and micro-ops in the format that the accelerator reads.
#pragma once

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Errors: kInvalidArgument, which names the field, if a value does not fit, or if the operands belong to another
// opcode. The program checker decides whether an instruction is legal.
Result<InstructionWord> encode(const Configuration& configuration, const Instruction& instruction);

// Returns configuration.uop_bytes() bytes, little-endian, in the low end of the word. Errors: kInvalidArgument, which
// names the field, if a value does not fit.
Result<uint64_t> encode(const Configuration& configuration, const MicroOp& micro_op);

}  // namespace nestrt::evta
