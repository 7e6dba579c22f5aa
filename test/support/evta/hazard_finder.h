// SPDX-License-Identifier: Apache-2.0
// Finds operations that the hardware computes wrongly. Slow and simple: unrolls every loop and compares each step with
// the two before it. It is the reference for the checker, which works differently.
#pragma once

#include <string>
#include <vector>

#include "drivers/evta/program.h"

namespace nestrt::test {

// Returns the first step that reads what a step shortly before it wrote, as a message; empty if none does.
std::string find_hazard(evta::Design design, const evta::Gemm& gemm, const std::vector<evta::MicroOp>& micro_ops);
std::string find_hazard(evta::Design design, const evta::Alu& alu, const std::vector<evta::MicroOp>& micro_ops);

// Returns the same for all instructions of a program whose words decode; also finds stores of rows without elements.
std::string find_hazard(const evta::Program& program);

}  // namespace nestrt::test
