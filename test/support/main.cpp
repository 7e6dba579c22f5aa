#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <iostream>

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
