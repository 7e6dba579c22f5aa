// SPDX-License-Identifier: Apache-2.0
// The duration of tests. script/test sets NESTRT_TEST_LEVEL.
#pragma once

namespace nestrt::test {

enum class TestLevel {
  kQuick,  // under sanitizers and emulators: every path once
  kNormal,
  kNightly,  // longer random runs, more sizes
};

// Returns the level; kNormal if the variable is unset or has another value.
TestLevel test_level();

// Returns the number of repetitions for the level.
inline int by_level(int quick, int normal, int nightly) {
  switch (test_level()) {
    case TestLevel::kQuick:
      return quick;
    case TestLevel::kNormal:
      return normal;
    case TestLevel::kNightly:
      return nightly;
  }
  return normal;
}

}  // namespace nestrt::test
