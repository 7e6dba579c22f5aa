// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <limits>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/float_values.h"

namespace nestrt::test {
namespace {

OperatorCase cast_case(const TestTensor& input, DataType to) {
  ops::Cast table;
  table.to = to;
  OperatorCase c(table);
  c.input(input).output(to, input.shape);
  return c;
}

}  // namespace

TEST_CASE("Cast of f32 to integers truncates and saturates") {
  const TestTensor x = tensor({10}, std::vector<float>{1.9f, -1.9f, 300, -300, kInf, -kInf, kNan, 3e9f, 1e19f, -1e19f});
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();
  CHECK(reference(cast_case(x, DataType::kS64))[0].values<int64_t>() ==
        std::vector<int64_t>{1, -1, 300, -300, kMax, kMin, 0, 3000000000, kMax, kMin});
  constexpr int32_t kMax32 = std::numeric_limits<int32_t>::max(), kMin32 = std::numeric_limits<int32_t>::min();
  CHECK(reference(cast_case(x, DataType::kS32))[0].values<int32_t>() ==
        std::vector<int32_t>{1, -1, 300, -300, kMax32, kMin32, 0, kMax32, kMax32, kMin32});
  CHECK(reference(cast_case(x, DataType::kS8))[0].values<int8_t>() ==
        std::vector<int8_t>{1, -1, 127, -128, 127, -128, 0, 127, 127, -128});
  CHECK(reference(cast_case(x, DataType::kU8))[0].values<uint8_t>() ==
        std::vector<uint8_t>{1, 0, 255, 0, 255, 0, 0, 255, 255, 0});
}

TEST_CASE("Cast to boolean maps nonzero values to true and back to 1") {
  const TestTensor x = tensor({5}, std::vector<float>{0, -0.0f, 0.25f, kNan, -2});
  const TestTensor truth = reference(cast_case(x, DataType::kBool))[0];
  CHECK(truth.values<uint8_t>() == std::vector<uint8_t>{0, 0, 1, 1, 1});
  CHECK(reference(cast_case(truth, DataType::kF32))[0].values<float>() == std::vector<float>{0, 0, 1, 1, 1});
  CHECK(reference(cast_case(tensor_bool({3}, {0, 1, 7}), DataType::kS64))[0].values<int64_t>() ==
        std::vector<int64_t>{0, 1, 1});
}

TEST_CASE("Cast of integers to narrower types wraps") {
  const TestTensor x = tensor({4}, std::vector<int64_t>{-1, 256 + 5, int64_t{1} << 40, 200});
  CHECK(reference(cast_case(x, DataType::kU8))[0].values<uint8_t>() == std::vector<uint8_t>{255, 5, 0, 200});
  CHECK(reference(cast_case(x, DataType::kS8))[0].values<int8_t>() == std::vector<int8_t>{-1, 5, 0, -56});
  CHECK(reference(cast_case(x, DataType::kF32))[0].values<float>() ==
        std::vector<float>{-1, 261, 1099511627776.0f, 200});
}

TEST_CASE("Cast converts between every pair of types") {
  for (int from = 0; !name(static_cast<DataType>(from)).empty(); ++from) {
    TestTensor x;
    x.type = static_cast<DataType>(from);
    x.shape = {3};
    x.bytes.resize(3 * size_bytes(x.type));
    for (int to = 0; !name(static_cast<DataType>(to)).empty(); ++to) {
      const OperatorCase c = cast_case(x, static_cast<DataType>(to));
      REQUIRE(c.infer().has_value());
      CHECK((*c.infer())[0].type == static_cast<DataType>(to));
      const TestTensor y = reference(c)[0];
      CHECK(y.bytes == std::vector<std::byte>(y.bytes.size()));
    }
  }
}

TEST_CASE("Vectorized casts equal the reference") {
  std::mt19937 generator(45);
  for (int from = 0; !name(static_cast<DataType>(from)).empty(); ++from)
    for (int to = 0; !name(static_cast<DataType>(to)).empty(); ++to)
      for (int64_t length : {1, 37, 70000}) {
        TestTensor x = random_bytes(generator, static_cast<DataType>(from), {length});
        if (x.type == DataType::kF32 && length > 1) {
          // Values at the limits of the integer types.
          std::vector<float> numbers = random_tensor(generator, {length}, -300, 300).values<float>();
          const float limits[] = {kInf,          -kInf,         kNan,           127.9f,        -128.9f,
                                  255.5f,        -0.9f,         2147483520.0f,  2147483648.0f, -2147483648.0f,
                                  9.2233715e18f, 9.2233720e18f, -9.2233720e18f, 1e30f,         -1e30f};
          for (size_t i = 0; i < numbers.size(); i += 2) numbers[i] = limits[i / 2 % std::size(limits)];
          x = tensor({length}, numbers);
        }
        const OperatorCase c = cast_case(x, static_cast<DataType>(to));
        if (c.variants().size() == 1) continue;
        INFO(name(x.type) << " to " << name(static_cast<DataType>(to)));
        check_exact(c, reference(c)[0], "cast.simd");
      }
}

}  // namespace nestrt::test
