// Random programs: rounds of loads, GEMM and ALU instructions and stores, with one or two virtual threads whose tokens
// order all that needs an order.
#pragma once

#include <random>

#include "test/support/evta/test_program.h"

namespace nestrt::test {

enum class Hazards {
  kNone,  // a legal program
  kFrequent,      // legal but for hazards (hazard_finder.h), which some have and many others nearly have
};

TestProgram random_program(const std::string& configuration, uint64_t seed, Hazards hazards = Hazards::kNone);

}  // namespace nestrt::test
