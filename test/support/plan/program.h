// SPDX-License-Identifier: Apache-2.0
// Runs the project's programs like a user.
#pragma once

#include <string>
#include <vector>

namespace nestrt::test {

struct ProgramResult {
  int exit_code = 0;  // 128 + signal if a signal ended it
  std::string text;   // its output on both streams
};

// Runs nestrt or nestc of this build with at most 60 seconds of processor time and 4 GB of address space (unlimited
// with sanitizers, which reserve terabytes). A test of hostile files fails if a program needs more.
ProgramResult run_program(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace nestrt::test
