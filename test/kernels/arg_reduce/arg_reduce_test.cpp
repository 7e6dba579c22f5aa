// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/float_values.h"

namespace nestrt::test {
namespace {

OperatorCase arg_case(const TestTensor& input, int axis, bool min, bool select_last, bool keep_dims = true) {
  ops::ArgReduce table;
  table.axis = axis;
  table.min = min;
  table.select_last = select_last;
  table.keep_dims = keep_dims;
  OperatorCase c(table);
  c.input(input);
  if (const auto specs = c.infer()) c.output((*specs)[0].type, (*specs)[0].shape);
  return c;
}

}  // namespace

TEST_CASE("ArgReduce finds the first or the last extreme") {
  const TestTensor x = tensor({2, 4}, std::vector<float>{1, 7, 7, 0, -2, -3, 5, -3});
  const auto found = [&](int axis, bool min, bool last) {
    return reference(arg_case(x, axis, min, last))[0].values<int64_t>();
  };
  CHECK(found(1, false, false) == std::vector<int64_t>{1, 2});
  CHECK(found(1, false, true) == std::vector<int64_t>{2, 2});
  CHECK(found(-1, true, false) == std::vector<int64_t>{3, 1});
  CHECK(found(1, true, true) == std::vector<int64_t>{3, 3});
  CHECK(found(0, false, false) == std::vector<int64_t>{0, 0, 0, 0});
}

TEST_CASE("ArgReduce infers the type and shape of its output") {
  const TestTensor x = tensor({2, 4}, std::vector<float>(8));
  const auto kept = arg_case(x, 0, false, false).infer();
  CHECK((*kept)[0].type == DataType::kS64);
  CHECK((*kept)[0].shape == Shape{1, 4});
  CHECK((*arg_case(x, 0, false, false, false).infer())[0].shape == Shape{4});
}

TEST_CASE("ArgReduce treats a NaN as the extreme and compares integers exactly") {
  const TestTensor x = tensor({4}, std::vector<float>{9, NAN, INFINITY, NAN});
  CHECK(reference(arg_case(x, 0, false, false))[0].values<int64_t>()[0] == 1);
  CHECK(reference(arg_case(x, 0, true, true))[0].values<int64_t>()[0] == 3);
  const TestTensor y = tensor({2}, std::vector<int64_t>{(int64_t{1} << 60), (int64_t{1} << 60) + 1});
  CHECK(reference(arg_case(y, 0, false, false))[0].values<int64_t>()[0] == 1);
}

TEST_CASE("Vectorized ArgReduce equals the reference for ties, zeros of both signs, NaN and infinities") {
  std::mt19937 generator(41);
  for (const Shape& shape : {Shape{1}, Shape{5, 3}, Shape{3, 19}, Shape{40, 64}, Shape{2, 21, 300}, Shape{3, 1000}})
    for (int num_values : {8, 9, 11}) {
      // Uses few different values, so that most elements have duplicates.
      std::vector<float> x(static_cast<size_t>(shape.num_elements()));
      const float values[] = {0, -0.0f, 1, -1, 2, 3, -3, 4, kInf, -kInf, kNan};
      for (float& v : x) v = values[generator() % static_cast<unsigned>(num_values)];
      if (num_values == 9) x[generator() % x.size()] = kNan;
      for (int axis = 0; axis < shape.rank(); ++axis)
        for (bool min : {false, true})
          for (bool last : {false, true}) {
            const OperatorCase c = arg_case(tensor(shape, x), axis, min, last);
            INFO(shape.to_string() << " axis " << axis << " min " << min << " last " << last);
            check_exact(c, reference(c)[0], "arg_reduce.f32.simd");
          }
    }
}

TEST_CASE("ArgReduce rejects an empty axis and an axis out of range") {
  const TestTensor x = tensor({2, 0}, std::vector<float>{});
  CHECK(arg_case(x, 1, false, false).infer().error().message().find("empty") != std::string_view::npos);
  CHECK(arg_case(x, 2, false, false).infer().error().message().find("axis") != std::string_view::npos);
}

}  // namespace nestrt::test
