// How long a test may take: NESTRT_TEST_LEVEL is set by script/test.
#pragma once

namespace nestrt::test {

enum class TestLevel {
  kQuick,  // under sanitizers and emulators: every path once
  kNormal,
  kNightly,  // longer random runs, more sizes
};

// kNormal where the variable is unset or says something else.
TestLevel test_level();

// The number of repetitions for the level.
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
