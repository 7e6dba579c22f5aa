// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <limits>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {

TEST_CASE("Quantize rounds to the output's exponent and clips") {
  const TestTensor x =
      tensor_f32({1, 2, 3}, {0.25f, -0.25f, 100.0f, -100.0f, std::numeric_limits<float>::quiet_NaN(), 1.3f});
  OperatorCase c{ops::Quantize()};
  c.input(x).output_s8({1, 2, 3}, 1);
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{1, 0, 127, -128, 0, 3});
  ops::Quantize floor;
  floor.rounding = ops::Rounding::kFloor;
  OperatorCase d(floor);
  d.input(x).output_s8({1, 2, 3}, 1);
  CHECK(reference(d)[0].values<int8_t>() == std::vector<int8_t>{0, -1, 127, -128, 0, 2});
}

TEST_CASE("Quantize is the same in a blocked layout") {
  std::mt19937 generator(3);
  const TestTensor x = random_tensor(generator, {2, 19, 3, 2}, -9, 9);
  OperatorCase plain{ops::Quantize()}, blocked{ops::Quantize()};
  plain.input(x).output_s8(x.shape, 4);
  blocked.input(with_layout(x, Layout::kBlocked16)).output_s8(x.shape, 4, Layout::kBlocked16);
  check_exact(blocked, reference(plain)[0], "quantize.simd");
}

TEST_CASE("Quantize to a folded image writes the elements of a plain one") {
  std::mt19937 generator(3);
  for (const auto rounding : {ops::Rounding::kHalfUp, ops::Rounding::kFloor, ops::Rounding::kHalfEven})
    for (const Shape& shape : {Shape{2, 3, 9, 19}, Shape{1, 4, 64, 64}, Shape{1, 1, 1, 1}}) {
      const TestTensor x = random_tensor(generator, shape, -9, 9);
      ops::Quantize quantize;
      quantize.rounding = rounding;
      OperatorCase plain(quantize);
      plain.input(x).output_s8(shape, 4);
      for (const Layout layout : {Layout::kBlocked16, Layout::kFolded2, Layout::kFolded4, Layout::kFolded8}) {
        INFO(shape.to_string() << " " << name(layout));
        OperatorCase folded(quantize);
        folded.input(x).output_s8(shape, 4, layout);
        check_exact(folded, reference(plain)[0], "quantize.folded");
      }
    }
}

TEST_CASE("Quantize rejects inputs that are not f32 and outputs without an exponent") {
  OperatorCase integers{ops::Quantize()};
  integers.input(tensor_s8({1}, {1})).output_s8({1}, 0);
  CHECK_THAT(infer_error(integers), Catch::Contains("the input is s8, expected f32"));
  OperatorCase unknown{ops::Quantize()};
  unknown.input(tensor_f32({1}, {1})).output(DataType::kS8, {1});
  CHECK_THAT(infer_error(unknown), Catch::Contains("the output is s8 but has no quantization"));
}

TEST_CASE("Quantize to scales rounds ties to even for s8 and u8, per tensor or per channel") {
  OperatorCase c{ops::Quantize()};
  c.input(tensor_f32({5}, {0.25f, 0.75f, -0.25f, 100.0f, -100.0f})).output_s8c({5}, 0.5f, 3);
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{3, 5, 3, 127, -128});
  ops::Quantize unsigned_bytes;
  unsigned_bytes.to = DataType::kU8;
  OperatorCase d(unsigned_bytes);
  d.input(tensor_f32({2, 1, 2}, {1, -1, 1, 300}))
      .output(with_scales(shape_only({2, 1, 2}, DataType::kU8), {0.5f, 2.0f}, 0));
  CHECK(infer_error(d).empty());
  CHECK(reference(d)[0].values<uint8_t>() == std::vector<uint8_t>{2, 0, 0, 150});
}

TEST_CASE("Quantize to one scale is the same in a blocked layout, which has no scales per channel") {
  std::mt19937 generator(3);
  const TestTensor x = random_tensor(generator, {2, 19, 3, 2}, -9, 9);
  OperatorCase plain{ops::Quantize()}, blocked{ops::Quantize()};
  plain.input(x).output_s8c(x.shape, 0.07f, -11);
  blocked.input(with_layout(x, Layout::kBlocked16)).output_s8c(x.shape, 0.07f, -11, Layout::kBlocked16);
  check_exact(blocked, reference(plain)[0], "quantize.simd");
  TestTensor channels = with_scales(shape_only(x.shape, DataType::kS8), std::vector<float>(19, 1.0f), 1);
  channels.layout = Layout::kBlocked16;
  OperatorCase several{ops::Quantize()};
  several.input(with_layout(x, Layout::kBlocked16)).output(channels);
  CHECK(several.variants().empty());
}

TEST_CASE("Quantize rejects scales that do not fit their axis and s32 results") {
  OperatorCase axis{ops::Quantize()};
  axis.input(tensor_f32({3}, {1, 2, 3})).output(with_scales(shape_only({3}, DataType::kS8), {1.0f, 2.0f}, 0));
  CHECK_THAT(infer_error(axis), Catch::Contains("has 2 scales and 2 zero points, expected 3"));
  ops::Quantize words;
  words.to = DataType::kS32;
  OperatorCase type(words);
  type.input(tensor_f32({1}, {1})).output(DataType::kS32, {1});
  CHECK_THAT(infer_error(type), Catch::Contains("the output is s32, expected s8 or u8"));
}

}  // namespace nestrt::test
