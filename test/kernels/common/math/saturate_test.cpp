// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/math/saturate.h"

#include <catch2/catch.hpp>

namespace nestrt::kernels {
namespace {

TEST_CASE("Size computations saturate instead of overflowing") {
  constexpr size_t kLargest = std::numeric_limits<size_t>::max();
  CHECK(saturated_bytes(3, 5, 4) == 60);
  CHECK(saturated_bytes(0, int64_t{1} << 62, 4) == 0);
  CHECK(saturated_bytes(int64_t{1} << 40, int64_t{1} << 40, 4) == kLargest);
  CHECK(saturated_bytes(int64_t{1} << 31, int64_t{1} << 31, 4) == kLargest);
  CHECK(saturated_bytes(int64_t{1} << 31, int64_t{1} << 30, 4) == size_t{1} << 63);
}

}  // namespace
}  // namespace nestrt::kernels
