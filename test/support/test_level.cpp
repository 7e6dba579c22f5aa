// SPDX-License-Identifier: Apache-2.0
#include "test/support/test_level.h"

#include <cstdlib>
#include <string_view>

namespace nestrt::test {

TestLevel test_level() {
  const char* variable = std::getenv("NESTRT_TEST_LEVEL");
  const std::string_view level = variable == nullptr ? "" : variable;
  if (level == "quick") return TestLevel::kQuick;
  return level == "nightly" ? TestLevel::kNightly : TestLevel::kNormal;
}

}  // namespace nestrt::test
