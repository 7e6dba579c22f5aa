// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "test/support/kernel/float_values.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

OperatorCase softmax_case(const TestTensor& input, int axis, bool log = false) {
  ops::Softmax table;
  table.axis = axis;
  table.log = log;
  OperatorCase c(table);
  c.input(input).output(DataType::kF32, input.shape);
  return c;
}

}  // namespace

TEST_CASE("Softmax of equal values is uniform") {
  const std::vector<float> y =
      reference(softmax_case(tensor({2, 4}, std::vector<float>(8, 5.0f)), 1))[0].values<float>();
  for (float value : y) CHECK(value == 0.25f);
}

TEST_CASE("Softmax and its logarithm have the expected values for a known row") {
  const TestTensor x = tensor({1, 3}, std::vector<float>{-1, 0, 1});
  const TestTensor expected = tensor({1, 3}, std::vector<float>{0.09003058f, 0.24472848f, 0.66524094f});
  CHECK(relative_error(reference(softmax_case(x, 1))[0], expected) < 1e-7);
  const TestTensor logs = tensor({1, 3}, std::vector<float>{-2.4076059f, -1.4076059f, -0.4076059f});
  CHECK(relative_error(reference(softmax_case(x, -1, true))[0], logs) < 1e-6);
}

TEST_CASE("Softmax of large numbers does not overflow") {
  const TestTensor x = tensor({2, 3}, std::vector<float>{10000, 10001, 9999, -3e38f, -3e38f, -kInf});
  const std::vector<float> y = reference(softmax_case(x, 1))[0].values<float>();
  CHECK(y[0] == Approx(0.24472848f));
  CHECK(y[3] == 0.5f);
  CHECK(y[5] == 0.0f);
}

TEST_CASE("Fast softmax agrees with its reference") {
  std::mt19937 generator(7);
  for (const Shape& shape :
       {Shape{1, 1}, Shape{3, 7}, Shape{2, 16, 5}, Shape{1, 1000}, Shape{2, 21, 33, 1}, Shape{300, 130}}) {
    TestTensor x = random_tensor(generator, shape, -30, 30);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      for (bool log : {false, true}) {
        const OperatorCase c = softmax_case(x, axis, log);
        const TestTensor expected = reference(c)[0];
        for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
          INFO(what << " " << shape.to_string() << " axis " << axis);
          CHECK(relative_error(outputs[0], expected) < 1e-6);
        });
      }
    }
  }
}

TEST_CASE("Fast softmax equals its reference for special values") {
  std::vector<float> values(5 * 19, 1.0f);
  values[0] = kNan;
  values[19 + 18] = kNan;
  values[2 * 19 + 3] = kInf;
  for (size_t i = 0; i < 19; ++i) values[3 * 19 + i] = -kInf;  // special case of emulated vectors (clang)
  values[4 * 19 + 7] = -kInf;
  values[4 * 19 + 8] = 3e38f;
  for (int axis : {0, 1}) {
    const TestTensor x = axis == 1 ? tensor({5, 19}, values) : tensor({19, 5}, [&] {
      std::vector<float> transposed(values.size());
      for (size_t r = 0; r < 5; ++r)
        for (size_t c = 0; c < 19; ++c) transposed[c * 5 + r] = values[r * 19 + c];
      return transposed;
    }());
    for (bool log : {false, true}) {
      const OperatorCase c = softmax_case(x, axis, log);
      const TestTensor expected = reference(c)[0];
      for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
        INFO(what << " axis " << axis << " log " << log);
        CHECK(relative_error(outputs[0], expected) < 1e-6);
      });
    }
  }
}

TEST_CASE("Softmax rejects an axis out of range and other types") {
  const TestTensor x = tensor({2, 3}, std::vector<float>(6));
  CHECK(softmax_case(x, 2).infer().error().message().find("axis") != std::string_view::npos);
  CHECK(softmax_case(x, -3).infer().error().message().find("axis") != std::string_view::npos);
  const TestTensor integers = tensor({2}, std::vector<int64_t>(2));
  CHECK(softmax_case(integers, 0).infer().error().message().find("expected f32") != std::string_view::npos);
  CHECK(softmax_case(tensor(Shape(), std::vector<float>{1}), 0).infer().error().message().find("axis") !=
        std::string_view::npos);
}

}  // namespace nestrt::test
