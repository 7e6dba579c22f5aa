// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <limits>

#include "test/support/kernel/exact.h"

namespace nestrt::test {
namespace {

using Kind = ops::ScatterKind;

OperatorCase scatter_case(Kind kind, const TestTensor& data, const TestTensor& indices, const TestTensor& updates) {
  OperatorCase c(ops::Scatter{.kind = kind});
  c.input(data).input(indices).input(updates).output(data.type, data.shape);
  return c;
}

TEST_CASE("Scatter combines rows one after the other") {
  const TestTensor data = tensor({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const TestTensor indices = tensor({3}, std::vector<int64_t>{2, 0, 2});
  const TestTensor updates = tensor({3, 2}, std::vector<float>{7, 1, 9, 10, 2, 12});
  const auto of = [&](Kind kind) { return reference(scatter_case(kind, data, indices, updates))[0].values<float>(); };
  CHECK(of(Kind::kReplace) == std::vector<float>{9, 10, 3, 4, 2, 12});
  CHECK(of(Kind::kAdd) == std::vector<float>{10, 12, 3, 4, 14, 19});
  CHECK(of(Kind::kMul) == std::vector<float>{9, 20, 3, 4, 70, 72});
  CHECK(of(Kind::kMin) == std::vector<float>{1, 2, 3, 4, 2, 1});
  CHECK(of(Kind::kMax) == std::vector<float>{9, 10, 3, 4, 7, 12});
}

TEST_CASE("Scatter counts negative indices from the end and clamps indices outside the axis") {
  const TestTensor data = tensor({3}, std::vector<int32_t>{0, 0, 0});
  const TestTensor indices = tensor({4}, std::vector<int32_t>{-1, 99, -99, 1});
  const TestTensor updates = tensor({4}, std::vector<int32_t>{1, 2, 3, std::numeric_limits<int32_t>::max()});
  CHECK(reference(scatter_case(Kind::kAdd, data, indices, updates))[0].values<int32_t>() ==
        std::vector<int32_t>{3, std::numeric_limits<int32_t>::max(), 3});
}

TEST_CASE("Scatter of integers wraps, and any type can be replaced") {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  CHECK(reference(scatter_case(Kind::kAdd, tensor({1}, std::vector<int64_t>{kMax}),
                               tensor({1}, std::vector<int64_t>{0}), tensor({1}, std::vector<int64_t>{1})))[0]
            .values<int64_t>() == std::vector<int64_t>{-kMax - 1});
  CHECK(reference(scatter_case(Kind::kReplace, tensor_bool({2}, {0, 0}), tensor({1}, std::vector<int64_t>{1}),
                               tensor_bool({1}, {1})))[0]
            .values<uint8_t>() == std::vector<uint8_t>{0, 1});
}

TEST_CASE("Scatter of single elements equals the reference") {
  std::mt19937 generator(9);
  for (Kind kind : {Kind::kReplace, Kind::kAdd, Kind::kMul, Kind::kMin, Kind::kMax})
    for (DataType type : {DataType::kF32, DataType::kS32, DataType::kS64, DataType::kBool})
      for (const Shape& shape : {Shape{50}, Shape{50, 1}, Shape{1, 1, 1}}) {
        if (type == DataType::kBool && kind != Kind::kReplace) continue;
        std::vector<int64_t> indices(70);
        for (int64_t& index : indices) index = static_cast<int64_t>(generator() % 120) - 60;
        Shape rows = shape;
        rows[0] = 70;
        const auto values = [&](const Shape& of) {
          return type == DataType::kF32 ? random_tensor(generator, of) : random_bytes(generator, type, of);
        };
        const OperatorCase c = scatter_case(kind, values(shape), tensor({70}, indices), values(rows));
        INFO(ops::name(kind) << " " << name(type) << " " << shape.to_string());
        check_exact(c, reference(c)[0], "scatter.elements");
      }
}

TEST_CASE("Scatter reports the operand that does not fit") {
  const TestTensor data = tensor({3, 2}, std::vector<float>(6)), indices = tensor({1}, std::vector<int64_t>{0});
  const TestTensor row = tensor({1, 2}, std::vector<float>(2));
  CHECK_THAT(infer_error(scatter_case(Kind::kAdd, data, indices, data)), Catch::Contains("updates are f32 3x2"));
  CHECK_THAT(infer_error(scatter_case(Kind::kAdd, data, row, row)), Catch::Contains("indices"));
  CHECK_THAT(infer_error(scatter_case(Kind::kAdd, tensor_u8({1}, {1}), indices, tensor_u8({1}, {1}))),
             Catch::Contains("add does not support u8"));
  CHECK_THAT(infer_error(scatter_case(Kind::kAdd, shape_only({0, 2}), indices, row)), Catch::Contains("0 elements"));
}

}  // namespace
}  // namespace nestrt::test
