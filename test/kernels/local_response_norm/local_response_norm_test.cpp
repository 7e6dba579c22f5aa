// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

ops::LocalResponseNorm attributes(int size, float alpha, float beta, float bias) {
  ops::LocalResponseNorm table;
  table.size = size;
  table.alpha = alpha;
  table.beta = beta;
  table.bias = bias;
  return table;
}

OperatorCase norm_case(const ops::LocalResponseNorm& table, const TestTensor& input) {
  OperatorCase c(table);
  c.input(input).output(DataType::kF32, input.shape, input.layout);
  return c;
}

void check_fast_kernels(const ops::LocalResponseNorm& table, const TestTensor& x) {
  const TestTensor expected = reference(norm_case(table, x))[0];
  for (Layout layout : {Layout::kPlain, Layout::kBlocked16}) {
    const OperatorCase c = norm_case(table, with_layout(x, layout));
    for_each_fast_kernel(c, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
      INFO(what << " " << x.shape.to_string() << " " << name(layout) << " size " << table.size);
      CHECK(relative_error(outputs[0], expected) < 1e-6);
    });
  }
}

}  // namespace

TEST_CASE("LocalResponseNorm divides by a power of its neighbours") {
  const TestTensor x = tensor({1, 4, 1, 1}, std::vector<float>{1, 2, 3, 4});
  const std::vector<float> y = reference(norm_case(attributes(3, 3, 1, 2), x))[0].values<float>();
  CHECK(y[0] == Approx(1.0 / (2 + 1 + 4)));
  CHECK(y[1] == Approx(2.0 / (2 + 1 + 4 + 9)));
  CHECK(y[3] == Approx(4.0 / (2 + 9 + 16)));
  // If the window size is even, the larger half follows the channel.
  CHECK(reference(norm_case(attributes(2, 2, 1, 2), x))[0].values<float>()[1] == Approx(2.0 / (2 + 4 + 9)));
}

TEST_CASE("Fast LocalResponseNorm agrees with its reference") {
  std::mt19937 generator(5);
  for (const Shape& shape :
       {Shape{1, 64, 5, 7}, Shape{2, 19, 3, 3}, Shape{1, 192, 14, 14}, Shape{1, 3, 1, 1}, Shape{2, 33, 9}}) {
    const TestTensor x = random_tensor(generator, shape, -20, 20);
    check_fast_kernels(attributes(5, 1e-4f, 0.75f, 1), x);
    check_fast_kernels(attributes(4, 0.5f, 0.75f, 2), x);
    check_fast_kernels(attributes(3, 0.1f, 0.6f, 1), x);
    check_fast_kernels(attributes(40, 1.0f, 0.5f, 1), x);
    check_fast_kernels(attributes(1, 1.0f, 1.0f, 0.5f), x);
  }
}

TEST_CASE("In fast LocalResponseNorm, a NaN affects only the windows that contain it") {
  std::vector<float> values(40 * 3, 1.0f);
  values[17 * 3 + 1] = NAN;
  check_fast_kernels(attributes(5, 1e-4f, 0.75f, 1), tensor({1, 40, 3}, values));
  values[17 * 3 + 1] = 3e38f;
  check_fast_kernels(attributes(5, 1e-4f, 0.75f, 1), tensor({1, 40, 3}, values));
}

TEST_CASE("LocalResponseNorm rejects empty windows, vectors and integers") {
  const TestTensor x = tensor({1, 2, 1}, std::vector<float>{1, 2});
  CHECK(norm_case(attributes(0, 1, 1, 1), x).infer().error().message().find("size") != std::string_view::npos);
  const TestTensor vector = tensor({2}, std::vector<float>{1, 2});
  CHECK(norm_case(attributes(1, 1, 1, 1), vector).infer().error().message().find("rank") != std::string_view::npos);
  const TestTensor integers = tensor({1, 2}, std::vector<int64_t>{1, 2});
  CHECK(norm_case(attributes(1, 1, 1, 1), integers).infer().error().message().find("f32") != std::string_view::npos);
}

}  // namespace nestrt::test
