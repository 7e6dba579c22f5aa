// Random legal programs: rounds of loads, GEMM and ALU instructions and stores, with one or two virtual threads whose
// tokens order all that needs an order.
#pragma once

#include <random>

#include "test/support/test_program.h"

namespace nestrt::test {

TestProgram random_program(const std::string& configuration, uint64_t seed);

// Whether a step of the loop writes an element that one of the two steps before it wrote; found by going through them.
bool has_write_hazard(const evta::Loop& loop, const std::vector<evta::MicroOp>& micro_ops);

}  // namespace nestrt::test
