// SPDX-License-Identifier: Apache-2.0
// Random programs: rounds of loads, GEMM and ALU instructions and stores, with one or two virtual threads. Tokens order
// all dependent accesses.
#pragma once

#include <random>

#include "test/support/evta/test_program.h"

namespace nestrt::test {

enum class Hazards {
  kNone,      // a valid program
  kFrequent,  // valid except for hazards (hazard_finder.h); some programs contain hazards, many others nearly do
};

TestProgram random_program(const std::string& configuration, uint64_t seed, Hazards hazards = Hazards::kNone);

}  // namespace nestrt::test
