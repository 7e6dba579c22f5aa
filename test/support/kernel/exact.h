// SPDX-License-Identifier: Apache-2.0
// Checks for operators that move elements: fast kernels must equal the reference bit for bit.
#pragma once

#include <random>
#include <string>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {

// Returns random bit patterns, including signalling NaNs and both zeros.
TestTensor random_bytes(std::mt19937& generator, DataType type, const Shape& shape);

// Checks that every fast kernel that accepts the case returns the bytes of `expected`, and that `kernel` is one of
// them.
void check_exact(const OperatorCase& operator_case, const TestTensor& expected, const std::string& kernel);

// Returns the error message of infer(); empty on success.
std::string infer_error(const OperatorCase& operator_case);

}  // namespace nestrt::test
