// SPDX-License-Identifier: Apache-2.0
// Compiles Catch2, which is slow, once for all test programs.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <iostream>

#include "test/support/run_tests.h"
#include "test/support/skip.h"

namespace nestrt::test {
namespace {

// Records whether any case ran, or was skipped with a reason. A name that matches no case is probably mistyped.
bool has_tested = false;

class Report final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    TestEventListenerBase::testCaseEnded(stats);
    const std::string why = take_skip_reason();
    has_tested = has_tested || !why.empty() || stats.totals.assertions.total() > 0;
    if (!why.empty() && stats.totals.assertions.failed == 0) std::cout << "skipped: " << why << std::endl;
  }
};

CATCH_REGISTER_LISTENER(Report)

}  // namespace

int run_tests(int count, char** arguments) {
  setenv("NESTRT_COST_CACHE", "", 1);  // tests must not share learned costs
  Catch::Session session;
  if (const int refused = session.applyCommandLine(count, arguments); refused != 0) return refused;
  const int failed = session.run();
  const Catch::ConfigData& asked = session.configData();
  const bool only_lists = asked.showHelp || asked.libIdentify || asked.listTests || asked.listTags ||
                          asked.listTestNamesOnly || asked.listReporters;
  if (failed != 0 || only_lists || has_tested) return failed;
  std::cerr << "no test ran: no case or section matches the given name (--list-tests lists the cases)" << std::endl;
  return 1;
}

}  // namespace nestrt::test
