// The order in which the three modules may execute a program, or why they cannot.
//
// Fetch hands instructions to the modules in order, through command queues of a bounded depth; a full queue stops it.
// A module takes the tokens that its next instruction wants, executes it, and gives tokens. Every queue has one
// producer and one consumer, so whether a program comes to its end does not depend on how long anything takes.
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

// By module.
using ModuleCounts = std::array<uint32_t, kNumModules>;

struct OrderedInstruction {
  uint32_t index = 0;  // in the program
  // How many instructions of each module have completed before this one starts, whatever the timing. Two
  // instructions of which neither comes before the other run at the same time.
  ModuleCounts before = {};
};

// One legal order, linear in the instructions. Errors: kInvalidPlan where tokens are exchanged with a module that is no
// neighbour, where modules wait for each other for ever, where tokens are left over, and where FINISH is not the last
// instruction, the only one and after the completion of all others.
Result<std::vector<OrderedInstruction>> execution_order(std::span<const Instruction> instructions);

}  // namespace nestrt::evta
