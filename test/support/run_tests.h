// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nestrt::test {

// Implements main() of a test program: runs the cases that the arguments select and reports. Returns the exit code,
// which is not 0 if nothing ran.
int run_tests(int count, char** arguments);

}  // namespace nestrt::test
