// SPDX-License-Identifier: Apache-2.0
// Finds operations that the hardware computes incorrectly. The code is slow and simple: it unrolls every loop and
// compares each step with the two steps before it. It is the reference for the checker, which uses a different
// algorithm.
#pragma once

#include <string>
#include <vector>

#include "drivers/evta/program.h"

namespace nestrt::test {

// Returns a message about the first step that reads a value which a step shortly before it wrote, or an empty string.
std::string find_hazard(evta::Design design, const evta::Gemm& gemm, const std::vector<evta::MicroOp>& micro_ops);
std::string find_hazard(evta::Design design, const evta::Alu& alu, const std::vector<evta::MicroOp>& micro_ops);

// Returns the same for all instructions of a program whose words decode; also finds stores of rows without elements.
std::string find_hazard(const evta::Program& program);

}  // namespace nestrt::test
