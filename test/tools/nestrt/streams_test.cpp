// SPDX-License-Identifier: Apache-2.0
// Tests nestrt with unwritable output streams.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

constexpr int kBadInput = 2;

// Returns the exit code of nestrt with these arguments and redirections.
int run_in_shell(const std::string& arguments) {
  const int state = std::system(("exec " NESTRT_BINARY_DIR "/bin/nestrt " + arguments).c_str());
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

TEST_CASE("A command fails if its results cannot be written") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  CHECK(run_in_shell("info " + plan + " >/dev/full 2>/dev/null") == kBadInput);
  CHECK(run_in_shell("info " + plan + " >&- 2>/dev/null") == kBadInput);
  CHECK(run_in_shell("info " + plan + " <&- >&- 2>&-") == kBadInput);
}

TEST_CASE("A command succeeds even if its messages cannot be written") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  CHECK(run_in_shell("info " + plan + " >/dev/null 2>/dev/full") == 0);
  CHECK(run_in_shell("info " + plan + " >/dev/null 2>&-") == 0);
  CHECK(run_in_shell("info nothing >/dev/null 2>/dev/full") == kBadInput);
  CHECK(run_in_shell("info nothing >/dev/null 2>&-") == kBadInput);
}

}  // namespace
}  // namespace nestrt::test
