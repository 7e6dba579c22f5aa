// What a program moves between the accelerator and memory.
#pragma once

#include <cstdint>
#include <span>

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Bytes of all transfers, both ways, and of the instructions themselves. Errors: as decode().
Result<uint64_t> memory_traffic(const Configuration& configuration, std::span<const InstructionWord> words);

}  // namespace nestrt::evta
