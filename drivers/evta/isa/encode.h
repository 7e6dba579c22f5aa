// Instructions and micro-ops to the bits that the accelerator reads.
#pragma once

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Errors: kInvalidArgument where a field does not fit its bits, with its name, or the operands are another opcode's.
// Whether an instruction is legal is the program checker's business.
Result<InstructionWord> encode(const Configuration& configuration, const Instruction& instruction);

// configuration.uop_bytes() bytes, little-endian, in the low end of the word. Errors: as above.
Result<uint64_t> encode(const Configuration& configuration, const MicroOp& micro_op);

}  // namespace nestrt::evta
