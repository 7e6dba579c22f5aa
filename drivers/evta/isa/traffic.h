// SPDX-License-Identifier: Apache-2.0
// Traffic between the accelerator and memory.
#pragma once

#include <cstdint>
#include <span>

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Returns the bytes of all transfers in both directions and of the instructions. Errors: those of decode().
Result<uint64_t> memory_traffic(const Configuration& configuration, std::span<const InstructionWord> words);

}  // namespace nestrt::evta
