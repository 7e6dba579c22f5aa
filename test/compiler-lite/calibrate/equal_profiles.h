// SPDX-License-Identifier: Apache-2.0
// Compares observed values except the means and peaks of channels.
#pragma once

#include <catch2/catch.hpp>

#include "compiler-lite/quantize/profile.h"

namespace nestrt::test {

inline void require_equal(const compiler::ValueProfile& a, const compiler::ValueProfile& b) {
  CHECK(a.min == b.min);
  CHECK(a.max == b.max);
  CHECK(a.elements == b.elements);
  CHECK(a.zeros == b.zeros);
  CHECK(a.magnitudes.bin_exponent == b.magnitudes.bin_exponent);
  CHECK(a.magnitudes.counts == b.magnitudes.counts);
}

}  // namespace nestrt::test
