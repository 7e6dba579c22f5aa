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
    // Some rows, and some windows, exceed the kernels' buffers.
    const bool wide = axis == 1 && draw(0, 3) == 0;
    const int dim = wide ? draw(60, 200) : draw(5, 9);
    const int kernel = global ? dim : wide && draw(0, 1) == 0 ? draw(1, 59) : draw(1, 3);
    const int stride = draw(1, wide ? 70 : 3), dilation = (kernel - 1) * 2 >= dim ? 1 : draw(1, 2);
    // The only window may be larger than the input by less than a stride.
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
  }
  OperatorCase c(pool);
  c.input(windows.x);
  const auto inferred = c.infer();
  if (!inferred) FAIL(inferred.error().to_string());
  windows.output = inferred->front().shape;
  return windows;
}

}  // namespace

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
