// SPDX-License-Identifier: Apache-2.0
// Test cases that cannot run here.
#pragma once

#include <string>

namespace nestrt::test {

// States why the current test case cannot run, or not all of it. Unless something fails, "skipped: <why>" is printed at
// its end, and ctest counts it as skipped.
void skip(std::string why);

// Returns the first reason since the last call; empty if nothing was skipped. For main.cpp.
std::string take_skip_reason();

}  // namespace nestrt::test
