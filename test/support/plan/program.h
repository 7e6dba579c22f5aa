// The programs of the project as a user starts them.
#pragma once

#include <string>
#include <vector>

namespace nestrt::test {

struct ProgramResult {
  int exit_code = 0;  // 128 + signal where it was killed
  std::string text;   // what it printed, on both streams
};

// Runs nestrt or nestc of this build, with at most 60 seconds of processor time and (but for sanitizers, which reserve
// terabytes) 4 GB of address space: a test of hostile files fails where a program takes more.
ProgramResult run_program(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace nestrt::test
