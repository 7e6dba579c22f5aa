// SPDX-License-Identifier: Apache-2.0
// Mutations of EVTA programs.
#pragma once

#include <random>
#include <vector>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::test {

// Applies one to three changes: bits and fields of instructions, and instructions dropped, repeated or swapped.
void mutate(std::vector<evta::InstructionWord>* words, std::mt19937_64& random);

}  // namespace nestrt::test
