// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {
namespace {

using ops::PoolKind;

// Returns a pool without padding or dilation.
ops::Pool pool(PoolKind kind, std::vector<int32_t> kernel, std::vector<int32_t> stride) {
  ops::Pool table;
  table.kind = kind;
  table.dilation.assign(kernel.size(), 1);
  table.pad_begin.assign(kernel.size(), 0);
  table.pad_end.assign(kernel.size(), 0);
  table.kernel = std::move(kernel);
  table.stride = std::move(stride);
  return table;
}

std::vector<float> run_reference(const ops::Pool& table, const TestTensor& input, const Shape& output) {
  OperatorCase c(table);
  c.input(input).output(DataType::kF32, output);
  const auto inferred = c.infer();
  if (!inferred) FAIL(inferred.error().to_string());
  CHECK(inferred->front().shape == output);
  return reference(c)[0].values<float>();
}

TestTensor square() { return tensor({1, 1, 3, 3}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}); }

TEST_CASE("Pool returns the largest element of each window") {
  CHECK(run_reference(pool(PoolKind::kMax, {2, 2}, {1, 1}), square(), {1, 1, 2, 2}) == std::vector<float>{5, 6, 8, 9});
}

TEST_CASE("Pool excludes padding from averages unless count_include_pad is set") {
  ops::Pool table = pool(PoolKind::kAverage, {2, 2}, {2, 2});
  table.pad_begin = {1, 1};
  CHECK(run_reference(table, square(), {1, 1, 2, 2}) == std::vector<float>{1, 2.5, 5.5, 7});
  table.count_include_pad = true;
  CHECK(run_reference(table, square(), {1, 1, 2, 2}) == std::vector<float>{0.25, 1.25, 2.75, 7});
}

TEST_CASE("Pool never counts elements that ceil_mode adds beyond the padding") {
  ops::Pool table = pool(PoolKind::kAverage, {2, 2}, {2, 2});
  table.ceil_mode = true;
  table.count_include_pad = true;
  CHECK(run_reference(table, square(), {1, 1, 2, 2}) == std::vector<float>{3, 4.5, 7.5, 9});
}

TEST_CASE("Pool drops a last window that would start in the end padding") {
  ops::Pool table = pool(PoolKind::kMax, {2}, {3});
  table.ceil_mode = true;
  table.pad_end = {1};
  // A fourth window would start at 3, beyond the input of 3 elements.
  CHECK(run_reference(table, tensor({1, 1, 3}, std::vector<float>{1, 5, 2}), {1, 1, 1}) == std::vector<float>{5});
}

TEST_CASE("Pool accepts a window larger than the input only if ceil_mode extends the input") {
  ops::Pool table = pool(PoolKind::kMax, {3, 2}, {2, 2});
  const TestTensor input = tensor({1, 1, 2, 3}, std::vector<float>{1, 2, 3, 6, 5, 4});
  const auto infer = [&] { return OperatorCase(table).input(input).infer(); };
  CHECK_FALSE(infer());
  table.ceil_mode = true;
  CHECK(run_reference(table, input, {1, 1, 1, 2}) == std::vector<float>{6, 4});
  table.kind = PoolKind::kAverage;
  CHECK(run_reference(table, input, {1, 1, 1, 2}) == std::vector<float>{3.5, 3.5});
  table.kernel = {4, 2};  // a stride or more beyond the input
  CHECK_FALSE(infer());
}

TEST_CASE("Pool dilates its windows") {
  ops::Pool table = pool(PoolKind::kMax, {2, 2}, {1, 1});
  table.dilation = {2, 2};
  CHECK(run_reference(table, square(), {1, 1, 1, 1}) == std::vector<float>{9});
}

TEST_CASE("Pool returns the Lp norm of each window") {
  ops::Pool table = pool(PoolKind::kLp, {2}, {1});
  const TestTensor input = tensor({1, 1, 3}, std::vector<float>{3, -4, 0});
  CHECK(run_reference(table, input, {1, 1, 2}) == std::vector<float>{5, 4});
  table.p = 1;
  CHECK(run_reference(table, input, {1, 1, 2}) == std::vector<float>{7, 4});
}

TEST_CASE("A maximum pool over padding only returns the lowest value") {
  ops::Pool table = pool(PoolKind::kMax, {2}, {1});
  table.dilation = {4};
  table.pad_begin = table.pad_end = {3};
  const float lowest = -std::numeric_limits<float>::infinity();
  CHECK(run_reference(table, tensor({1, 1, 2}, std::vector<float>{7, 8}), {1, 1, 4}) ==
        std::vector<float>{8, lowest, lowest, 7});
}

TEST_CASE("Pool supports maxima of 8-bit integers") {
  OperatorCase c(pool(PoolKind::kMax, {2}, {2}));
  TestTensor input;
  input.type = DataType::kS8;
  input.shape = {1, 1, 4};
  for (int value : {-128, -3, 127, -1}) input.bytes.push_back(static_cast<std::byte>(value));
  c.input(input).output(DataType::kS8, {1, 1, 2});
  REQUIRE(c.infer());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{-3, 127});
}

// Compares every fast kernel for the case in `layout` with the reference. Fails if `kernel` is not among them.
void check_fast(const ops::Pool& table, const TestTensor& input, Layout layout, Layout output_layout,
                const std::string& kernel, double tolerance) {
  OperatorCase plain(table);
  plain.input(input);
  const auto inferred = plain.infer();
  if (!inferred) FAIL(inferred.error().to_string());
  const Shape shape = inferred->front().shape;
  plain.output(DataType::kF32, shape);
  const TestTensor expected = reference(plain)[0];
  OperatorCase fast(table);
  fast.input(with_layout(input, layout)).output(DataType::kF32, shape, output_layout);
  bool found = false;
  for_each_fast_kernel(fast, [&](const std::string& what, const std::vector<TestTensor>& outputs) {
    INFO(what << " " << input.shape.to_string() << " " << ops::name(table.kind));
    found = found || what.starts_with(kernel);
    CHECK(relative_error(outputs[0], expected) <= tolerance);
  });
  CHECK(found);
}

// Returns values whose sums are inexact in any order; some elements are infinite.
TestTensor extreme_tensor(std::mt19937& generator, const Shape& shape) {
  TestTensor result = random_tensor(generator, shape, -1e30f, 1e30f);
  std::vector<float> values = result.values<float>();
  for (size_t i = 0; i < values.size(); i += 11) values[i] = -std::numeric_limits<float>::infinity();
  return tensor(shape, values);
}

TEST_CASE("Pool in blocks of 16 channels is exact for maxima and averages") {
  std::mt19937 generator(3);
  for (PoolKind kind : {PoolKind::kMax, PoolKind::kAverage, PoolKind::kLp}) {
    ops::Pool table = pool(kind, {3, 2}, {2, 1});
    table.pad_begin = {1, 1};
    table.pad_end = {2, 0};
    const double tolerance = kind == PoolKind::kLp ? 1e-6 : 0;
    for (bool ceil_mode : {false, true})
      for (const Shape& shape : {Shape{1, 16, 7, 9}, Shape{2, 37, 5, 2}, Shape{1, 3, 1, 1}, Shape{1, 64, 33, 31}}) {
        table.ceil_mode = ceil_mode;
        table.count_include_pad = ceil_mode;
        table.p = ceil_mode ? 1 : 2;
        check_fast(table, random_tensor(generator, shape), Layout::kBlocked16, Layout::kBlocked16, "pool.f32.blocked16",
                   tolerance);
      }
  }
  ops::Pool table = pool(PoolKind::kMax, {3, 3}, {2, 2});
  table.ceil_mode = true;
  for (const Shape& shape : {Shape{1, 20, 2, 9}, Shape{1, 16, 7, 2}, Shape{2, 5, 2, 2}})
    check_fast(table, random_tensor(generator, shape), Layout::kBlocked16, Layout::kBlocked16, "pool.f32.blocked16", 0);
  table = pool(PoolKind::kMax, {3, 3}, {1, 1});
  table.dilation = {2, 3};
  check_fast(table, extreme_tensor(generator, {1, 20, 9, 11}), Layout::kBlocked16, Layout::kBlocked16,
             "pool.f32.blocked16", 0);
  check_fast(pool(PoolKind::kAverage, {4}, {3}), random_tensor(generator, {2, 5, 40}), Layout::kBlocked16,
             Layout::kBlocked16, "pool.f32.blocked16", 0);
  check_fast(pool(PoolKind::kAverage, {2, 3, 2}, {1, 2, 2}), random_tensor(generator, {1, 18, 4, 6, 5}),
             Layout::kBlocked16, Layout::kBlocked16, "pool.f32.blocked16", 0);
}

TEST_CASE("Pool over the whole input reads and writes any layout") {
  std::mt19937 generator(4);
  for (PoolKind kind : {PoolKind::kMax, PoolKind::kAverage, PoolKind::kLp})
    for (const Shape& shape : {Shape{1, 16, 7, 7}, Shape{3, 37, 3, 5}, Shape{2, 5, 1, 1}, Shape{1, 200, 14, 15}})
      for (Layout layout : {Layout::kPlain, Layout::kBlocked16})
        for (Layout output_layout : {Layout::kPlain, Layout::kBlocked16, Layout::kBlocked32})
          check_fast(pool(kind, {static_cast<int32_t>(shape[2]), static_cast<int32_t>(shape[3])}, {1, 1}),
                     random_tensor(generator, shape), layout, output_layout, "pool.f32.global", 1e-5);
}

TEST_CASE("Errors of Pool name the invalid attribute") {
  const auto infer_error = [](const ops::Pool& table, const TestTensor& input = square()) {
    OperatorCase c(table);
    c.input(input);
    return std::string(c.infer().error().message());
  };
  const ops::Pool good = pool(PoolKind::kAverage, {2, 2}, {1, 1});
  ops::Pool table = good;
  table.kernel = {2};
  CHECK_THAT(infer_error(table), Catch::Contains("kernel has 1 entries, expected 2"));
  table.kernel = {2, 0};
  CHECK_THAT(infer_error(table), Catch::Contains("kernel of spatial axis 1 is 0"));
  table.kernel = {5, 2};
  CHECK_THAT(infer_error(table), Catch::Contains("kernel of spatial axis 0 is 5"));
  table = good;
  table.stride = {1, -1};
  CHECK_THAT(infer_error(table), Catch::Contains("stride of spatial axis 1 is -1"));
  table = good;
  table.dilation = {std::numeric_limits<int32_t>::max(), 1};
  CHECK_THAT(infer_error(table), Catch::Contains("kernel of spatial axis 0"));
  table.dilation = {0, 1};
  CHECK_THAT(infer_error(table), Catch::Contains("dilation of spatial axis 0 is 0"));
  table = good;
  table.pad_begin = {2, 0};
  CHECK_THAT(infer_error(table), Catch::Contains("pad_begin of spatial axis 0 is 2"));
  table = good;
  table.pad_end = {0, -1};
  CHECK_THAT(infer_error(table), Catch::Contains("pad_end of spatial axis 1 is -1"));
  table = pool(PoolKind::kLp, {2, 2}, {1, 1});
  table.p = 0;
  CHECK_THAT(infer_error(table), Catch::Contains("p is 0"));
  CHECK_THAT(infer_error(good, tensor({1, 1, 3, 3}, std::vector<int32_t>(9))), Catch::Contains("s32"));
  CHECK_THAT(infer_error(good, tensor({3, 3}, std::vector<float>(9))), Catch::Contains("3x3"));
}

TEST_CASE("Pool of s8 averages by a shift or a reciprocal") {
  ops::Pool table = pool(PoolKind::kAverage, {2, 2}, {2, 2});
  table.pad_begin = {1, 1};  // windows of 1, 2, 2 and 4 elements
  const TestTensor x = with_exponent(tensor_s8({1, 1, 3, 3}, {-3, 1, 2, 4, 5, 6, 7, 8, 9}), 3);
  OperatorCase c(table);
  c.input(x).output_s8({1, 1, 2, 2}, 3);
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{-3, 2, 6, 7});
  OperatorCase whole(pool(PoolKind::kAverage, {3, 3}, {1, 1}));
  whole.input(x).output_s8({1, 1, 1, 1}, 3);
  CHECK(reference(whole)[0].values<int8_t>() == std::vector<int8_t>{4});  // 39 / 9
}

TEST_CASE("Pool of s8 keeps the exponent") {
  for (PoolKind kind : {PoolKind::kMax, PoolKind::kAverage}) {
    OperatorCase c(pool(kind, {1}, {1}));
    c.input(with_exponent(tensor_s8({1, 1, 1}, {5}), 3)).output_s8({1, 1, 1}, 4);
    CHECK_THAT(infer_error(c), Catch::Contains("insert a Requantize"));
  }
  OperatorCase huge(pool(PoolKind::kAverage, {1 << 12, 1 << 12}, {1, 1}));
  huge.input(with_exponent(tensor_s8({0, 1, 1 << 12, 1 << 12}, {}), 0)).output_s8({0, 1, 1, 1}, 0);
  CHECK_THAT(infer_error(huge), Catch::Contains("at most 2^23 elements"));
}

}  // namespace
TEST_CASE("Maximum pools keep scales and average pools may change them") {
  ops::Pool pool;
  pool.kind = ops::PoolKind::kAverage;
  pool.kernel = {2};
  pool.stride = pool.dilation = {1};
  pool.pad_begin = {1};
  pool.pad_end = {0};
  OperatorCase c(pool);
  c.input(with_scale(tensor_s8({1, 1, 3}, {10, 11, -20}), 0.5f, 4)).output_s8c({1, 1, 3}, 0.25f, -3);
  CHECK(infer_error(c).empty());
  CHECK(reference(c)[0].values<int8_t>() == std::vector<int8_t>{9, 10, -20});  // 3, 3.25, -4.25
  pool.count_include_pad = true;
  OperatorCase padded(pool);
  padded.input(with_scale(tensor_s8({1, 1, 3}, {10, 11, -20}), 0.5f, 4)).output_s8c({1, 1, 3}, 0.25f, -3);
  CHECK(reference(padded)[0].values<int8_t>() == std::vector<int8_t>{3, 10, -20});
  pool.kind = ops::PoolKind::kMax;
  OperatorCase maximum(pool);
  maximum.input(with_scale(tensor_s8({1, 1, 3}, {10, 11, -20}), 0.5f, 4)).output_s8c({1, 1, 3}, 0.5f, 4);
  CHECK(reference(maximum)[0].values<int8_t>() == std::vector<int8_t>{10, 11, 11});
  OperatorCase other(pool);
  other.input(with_scale(tensor_s8({1, 1, 3}, {10, 11, -20}), 0.5f, 4)).output_s8c({1, 1, 3}, 0.25f, 4);
  CHECK_THAT(infer_error(other), Catch::Contains("insert a Requantize"));
}

}  // namespace nestrt::test
