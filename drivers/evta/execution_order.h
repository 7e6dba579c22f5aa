// SPDX-License-Identifier: Apache-2.0
// The order in which the three modules may execute a program, or the reason why none exists.
//
// The fetch module distributes instructions in order through command queues of limited depth; a full queue stops it. A
// module takes the tokens that its next instruction needs, executes it, and gives tokens. Every queue has one producer
// and one consumer, so timing does not affect whether a program ends.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::evta {

inline constexpr size_t kCommandQueueDepth = 512;
inline constexpr size_t kTokenQueueDepth = 1024;

// Counts per module.
using ModuleCounts = std::array<uint32_t, kNumModules>;

struct OrderedInstruction {
  uint32_t index = 0;  // in the program
  // Number of instructions of each module that are complete before this one starts, regardless of timing. Two
  // instructions that do not precede each other may run concurrently.
  ModuleCounts before = {};
};

// Returns one legal order, in time linear in the number of instructions. Errors: kInvalidPlan if tokens are exchanged
// with a module that is not adjacent, if modules deadlock, if tokens remain, or if there is not exactly one FINISH, at
// the end and after the completion of all other instructions.
Result<std::vector<OrderedInstruction>> execution_order(std::span<const Instruction> instructions);

}  // namespace nestrt::evta
