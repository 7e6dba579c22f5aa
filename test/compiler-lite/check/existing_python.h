// SPDX-License-Identifier: Apache-2.0
// Finds ONNX Runtime for tests.
#pragma once

#include <string>

namespace nestrt::test {

// Returns an interpreter with ONNX Runtime if the environment exists; tests install nothing. Returns "" otherwise, and
// the test case counts as skipped.
std::string existing_python();

}  // namespace nestrt::test
