// SPDX-License-Identifier: Apache-2.0
#include "test/support/kernel/exact.h"

#include <catch2/catch.hpp>

namespace nestrt::test {

TestTensor random_bytes(std::mt19937& generator, DataType type, const Shape& shape) {
  TestTensor result;
  result.type = type;
  result.shape = shape;
  result.bytes.resize(static_cast<size_t>(shape.num_elements()) * size_bytes(type));
  for (std::byte& byte : result.bytes) byte = static_cast<std::byte>(generator() & 0xFF);
  return result;
}

void check_exact(const OperatorCase& operator_case, const TestTensor& expected, const std::string& kernel) {
  bool found = false;
  for_each_fast_kernel(operator_case, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    INFO(what << ", output " << expected.shape.to_string());
    found = found || what.starts_with(kernel);
    CHECK(outputs[0].bytes == expected.bytes);
  });
  INFO(kernel << " accepts the case");
  CHECK(found);
}

std::string infer_error(const OperatorCase& operator_case) {
  return std::string(operator_case.infer().error().message());
}

}  // namespace nestrt::test
