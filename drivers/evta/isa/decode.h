// SPDX-License-Identifier: Apache-2.0
// Decodes bits to instructions and micro-ops. Accepts arbitrary bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Errors: kInvalidPlan for an undefined opcode, memory or ALU operation, or for an unused bit that is set.
Result<Instruction> decode(const Configuration& configuration, const InstructionWord& word);

// Decodes a whole stream. Errors: the first of the above, with the number of the instruction.
Result<std::vector<Instruction>> decode(const Configuration& configuration, std::span<const InstructionWord> words);

// `raw`: in the format of encode(). Errors: kInvalidPlan for an unused bit that is set.
Result<MicroOp> decode_micro_op(const Configuration& configuration, uint64_t raw);

// Reads micro-op `index` from the bytes in DRAM, which must be at least (index + 1) * uop_bytes() long.
uint64_t read_micro_op(const Configuration& configuration, std::span<const std::byte> bytes, size_t index);

}  // namespace nestrt::evta
