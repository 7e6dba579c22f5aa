// The accelerator's bits to instructions and micro-ops. Any bits may be given.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Errors: kInvalidPlan for an opcode, memory or ALU operation that does not exist and for an unused bit that is set.
Result<Instruction> decode(const Configuration& configuration, const InstructionWord& word);

// All of a stream. Errors: the first of the above, with the number of its instruction.
Result<std::vector<Instruction>> decode(const Configuration& configuration, std::span<const InstructionWord> words);

// `raw` as encode() gives it. Errors: kInvalidPlan for an unused bit that is set.
Result<MicroOp> decode_micro_op(const Configuration& configuration, uint64_t raw);

// Micro-op `index` of the bytes as they lie in DRAM, of which there are at least (index + 1) * uop_bytes().
uint64_t read_micro_op(const Configuration& configuration, std::span<const std::byte> bytes, size_t index);

}  // namespace nestrt::evta
