// Catch2 itself, which is much to compile: once for all programs of tests.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <iostream>

#include "test/support/run_tests.h"
#include "test/support/skip.h"

namespace nestrt::test {
namespace {

class SkipReport final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    TestEventListenerBase::testCaseEnded(stats);
    const std::string why = take_skip_reason();
    if (!why.empty() && stats.totals.assertions.failed == 0) std::cout << "skipped: " << why << std::endl;
  }
};

CATCH_REGISTER_LISTENER(SkipReport)

}  // namespace
}  // namespace nestrt::test

int nestrt::test::run_tests(int count, char** arguments) { return Catch::Session().run(count, arguments); }
