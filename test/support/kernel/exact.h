// For operators that move elements: fast kernels give the bytes of the reference.
#pragma once

#include <random>
#include <string>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {

// Any bit pattern: signalling NaNs and both zeros included.
TestTensor random_bytes(std::mt19937& generator, DataType type, const Shape& shape);

// Every fast kernel that accepts the case gives the bytes of `expected`, and `kernel` is one of them.
void check_exact(const OperatorCase& operator_case, const TestTensor& expected, const std::string& kernel);

// What infer() complains about; empty where it does not.
std::string complaint(const OperatorCase& operator_case);

}  // namespace nestrt::test
