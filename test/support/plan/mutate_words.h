// Programs that are wrong somewhere.
#pragma once

#include <random>
#include <vector>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::test {

// One to three changes: bits and fields of instructions, and instructions dropped, repeated and exchanged.
void mutate(std::vector<evta::InstructionWord>* words, std::mt19937_64& random);

}  // namespace nestrt::test
