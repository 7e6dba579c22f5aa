// What the hardware computes wrongly, found the slow way: every loop is unrolled, and of every step it is looked up
// what the two before it wrote. The judge of the checker, which does none of that.
#pragma once

#include <string>
#include <vector>

#include "drivers/evta/program.h"

namespace nestrt::test {

// Empty where no step reads what a step right before it wrote; else the step, for a message.
std::string find_hazard(evta::Design design, const evta::Gemm& gemm, const std::vector<evta::MicroOp>& micro_ops);
std::string find_hazard(evta::Design design, const evta::Alu& alu, const std::vector<evta::MicroOp>& micro_ops);

// The same of all instructions of a program whose words decode, and stores of rows without elements.
std::string find_hazard(const evta::Program& program);

}  // namespace nestrt::test
