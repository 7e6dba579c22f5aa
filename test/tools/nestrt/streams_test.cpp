// nestrt where nobody reads what it prints.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

constexpr int kBadInput = 2;

// nestrt with those arguments and redirections; its exit code as a shell tells it.
int run_in_shell(const std::string& arguments) {
  const int state = std::system(("exec " NESTRT_BINARY_DIR "/bin/nestrt " + arguments).c_str());
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

TEST_CASE("A command whose results cannot be written fails") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  CHECK(run_in_shell("info " + plan + " >/dev/full 2>/dev/null") == kBadInput);
  CHECK(run_in_shell("info " + plan + " >&- 2>/dev/null") == kBadInput);
  CHECK(run_in_shell("info " + plan + " <&- >&- 2>&-") == kBadInput);
}

TEST_CASE("A command whose messages cannot be written does what it is asked for all the same") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  CHECK(run_in_shell("info " + plan + " >/dev/null 2>/dev/full") == 0);
  CHECK(run_in_shell("info " + plan + " >/dev/null 2>&-") == 0);
  CHECK(run_in_shell("info nothing >/dev/null 2>/dev/full") == kBadInput);
  CHECK(run_in_shell("info nothing >/dev/null 2>&-") == kBadInput);
}

}  // namespace
}  // namespace nestrt::test
