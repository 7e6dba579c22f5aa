// Test cases that cannot do their work here.
#pragma once

#include <string>

namespace nestrt::test {

// Says why the test case that runs cannot do its work, or all of it. At its end "skipped: <why>" is printed, by which
// ctest counts it as skipped, unless something failed in it.
void skip(std::string why);

// The first reason since the last call; empty where nothing was skipped. For main.cpp.
std::string take_skip_reason();

}  // namespace nestrt::test
