// SPDX-License-Identifier: Apache-2.0
// Skips test cases that cannot run on this machine.
#pragma once

#include <string>

namespace nestrt::test {

// Records why the current test case cannot run, or can run only partly. Unless a check fails, "skipped: <why>" is
// printed at its end, and ctest counts it as skipped.
void skip(std::string why);

// Returns the first reason since the last call; empty if nothing was skipped. For run_tests.cpp.
std::string take_skip_reason();

}  // namespace nestrt::test
