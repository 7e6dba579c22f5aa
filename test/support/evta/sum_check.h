// SPDX-License-Identifier: Apache-2.0
// Compares kernels that sum products in f32 with references that sum in double.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "test/support/kernel/kernel_runner.h"

namespace nestrt::test {

// Returns the absolute values of a tensor.
inline TestTensor magnitude(const TestTensor& signed_tensor) {
  if (!signed_tensor.present) return signed_tensor;
  std::vector<float> values = signed_tensor.values<float>();
  for (float& value : values) value = std::abs(value);
  return tensor(signed_tensor.shape, values);
}

// Checks that all elements are within the error bound of their sums. `magnitudes`: for every element, the sum of the
// absolute values of its terms; `terms`: the number of terms. The error of an f32 sum in any order is below terms *
// 2^-24 * magnitude. No activation increases it by more than a half, and the vector activations are within 2e-6 of
// their definitions.
inline void check_sums(const std::string& what, const TestTensor& actual, const TestTensor& expected,
                       const TestTensor& magnitudes, int64_t terms) {
  INFO(what);
  const std::vector<float> a = actual.values<float>(), e = expected.values<float>(), m = magnitudes.values<float>();
  REQUIRE(a.size() == e.size());
  REQUIRE(a.size() == m.size());
  const double unit = 1.5 * static_cast<double>(terms + 2) * std::ldexp(1.0, -24);
  for (size_t i = 0; i < a.size(); ++i) {
    const double allowed = unit * m[i] + 2e-6;
    if (!(std::abs(static_cast<double>(a[i]) - e[i]) <= allowed)) {
      FAIL("element " << i << " is " << a[i] << ", expected " << e[i] << " within " << allowed);
    }
  }
}

}  // namespace nestrt::test
