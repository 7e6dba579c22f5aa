// SPDX-License-Identifier: Apache-2.0
// Compares the fast kernels of s8 pools with the reference bit for bit.
#include <catch2/catch.hpp>

#include "test/support/kernel/exact.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

struct Windows {
  ops::Pool table;
  TestTensor x;
  Shape output;
  float scale = 0;  // scale of the result; 0 if it has none
  int zero_point = 0;

  OperatorCase make(Layout input, Layout result) const {
    OperatorCase c(table);
    c.input(with_layout(x, input));
    if (scale > 0)
      c.output_s8c(output, scale, zero_point, result);
    else
      c.output_s8(output, x.quantization->exponents[0], result);
    return c;
  }
};

Windows random_windows(std::mt19937& generator, bool global) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); };
  Windows windows;
  ops::Pool& pool = windows.table;
  pool.kind = draw(0, 1) == 0 ? ops::PoolKind::kMax : ops::PoolKind::kAverage;
  pool.rounding = static_cast<ops::Rounding>(draw(0, 2));
  pool.ceil_mode = draw(0, 1) == 0;
  pool.count_include_pad = draw(0, 1) == 0;
  Shape shape{draw(1, 2), draw(1, 40)};
  for (int axis = draw(1, 3); axis > 0; --axis) {
    // Some rows and some windows exceed the kernels' buffers.
    const bool wide = axis == 1 && draw(0, 3) == 0;
    const int dim = wide ? draw(60, 200) : draw(5, 9);
    const int kernel = global ? dim : wide && draw(0, 1) == 0 ? draw(1, 59) : draw(1, 3);
    const int stride = draw(1, wide ? 70 : 3), dilation = (kernel - 1) * 2 >= dim ? 1 : draw(1, 2);
    // If there is only one window, it may exceed the input by less than a stride.
    const bool small = pool.ceil_mode && !global && draw(0, 3) == 0;
    shape.push_back(small ? std::max((kernel - 1) * dilation + 2 - stride, 1) : dim);
    pool.kernel.push_back(kernel);
    pool.stride.push_back(stride);
    pool.dilation.push_back(global || kernel == 1 ? 1 : dilation);
    pool.pad_begin.push_back(global ? 0 : draw(0, kernel - 1));
    pool.pad_end.push_back(global ? 0 : draw(0, kernel - 1));
  }
  windows.x = with_exponent(random_s8(generator, shape), draw(-4, 8));
  if (draw(0, 1) == 0) {
    windows.x = with_scale(windows.x, 0.37f, draw(-128, 127));
    const bool same = pool.kind == ops::PoolKind::kMax;
    windows.scale = same ? 0.37f : 0.01f * static_cast<float>(draw(20, 60));
    windows.zero_point = same ? windows.x.quantization->zero_points[0] : draw(-128, 127);
    if (!same && draw(0, 1) == 0) {  // rounds the stored integers exactly, which requires equal quantization
      pool.rounding = draw(0, 1) == 0 ? ops::Rounding::kHalfAway : ops::Rounding::kHalfUpScaled;
      windows.scale = 0.37f;
      windows.zero_point = windows.x.quantization->zero_points[0];
    }
  }
  OperatorCase c(pool);
  c.input(windows.x);
  const auto inferred = c.infer();
  if (!inferred) FAIL(inferred.error().to_string());
  windows.output = inferred->front().shape;
  return windows;
}

}  // namespace

TEST_CASE("Exact averages of s8 round every sum of every count like integers") {
  for (const ops::Rounding rounding : {ops::Rounding::kHalfAway, ops::Rounding::kHalfUpScaled})
    for (const int count : {2, 9, 49, 1024, 1025}) {
      ops::Pool pool;
      pool.kind = ops::PoolKind::kAverage;
      pool.rounding = rounding;
      pool.kernel = {count};
      pool.stride = {count};
      pool.dilation = {1};
      pool.pad_begin = pool.pad_end = {0};
      std::mt19937 generator(7);
      const int64_t outputs = 300;
      const TestTensor x = with_scale(random_s8(generator, {1, 16, outputs * count}), 0.37f, -5);
      const auto make = [&](Layout layout) {
        OperatorCase c(pool);
        c.input(with_layout(x, layout)).output_s8c({1, 16, outputs}, 0.37f, -5, layout);
        return c;
      };
      check_exact(make(Layout::kBlocked16), reference(make(Layout::kPlain))[0], "pool.s8.blocked16");
    }
}

TEST_CASE("Exact averages require one quantization with a scale") {
  const auto error = [](ops::PoolKind kind, float scale, bool has_scales) {
    ops::Pool pool;
    pool.kind = kind;
    pool.rounding = ops::Rounding::kHalfAway;
    pool.kernel = pool.stride = pool.dilation = {1};
    pool.pad_begin = pool.pad_end = {0};
    OperatorCase c(pool);
    const TestTensor x = tensor_s8({1, 1, 2}, {1, 2});
    if (has_scales)
      c.input(with_scale(x, 0.5f, 0)).output_s8c({1, 1, 2}, scale, 0);
    else
      c.input(with_exponent(x, 1)).output_s8({1, 1, 2}, 1);
    return infer_error(c);
  };
  CHECK(error(ops::PoolKind::kAverage, 0.5f, true).empty());
  CHECK_THAT(error(ops::PoolKind::kAverage, 0.25f, true), Catch::Contains("insert a Requantize"));
  CHECK_THAT(error(ops::PoolKind::kAverage, 0, false), Catch::Contains("rounding half_away"));
  CHECK_THAT(error(ops::PoolKind::kMax, 0.5f, true), Catch::Contains("rounding half_away"));
}

TEST_CASE("Fast kernels of s8 pools equal the reference") {
  std::mt19937 generator(1);
  const int cases = by_level(40, 500, 10'000);
  for (int i = 0; i < cases; ++i) {
    const Windows windows = random_windows(generator, i % 4 == 0);
    const TestTensor expected = reference(windows.make(Layout::kPlain, Layout::kPlain))[0];
    check_exact(windows.make(Layout::kBlocked16, Layout::kBlocked16), expected, "pool.s8.blocked16");
    if (i % 4 == 0) check_exact(windows.make(Layout::kBlocked16, Layout::kPlain), expected, "pool.s8.global");
  }
}

}  // namespace nestrt::test
