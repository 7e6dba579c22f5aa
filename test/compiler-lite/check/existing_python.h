// ONNX Runtime for tests.
#pragma once

#include <string>

namespace nestrt::test {

// An interpreter that has ONNX Runtime, where somebody has made the environment: a test installs nothing. Empty, and
// the test case counts as skipped, where there is none.
std::string existing_python();

}  // namespace nestrt::test
