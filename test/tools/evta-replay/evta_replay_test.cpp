// evta-replay as a user meets it.
#include <catch2/catch.hpp>

#include "test/support/program.h"
#include "test/support/shared_data.h"
#include "test/support/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

void check_run(const std::vector<std::string>& arguments, int exit_code, const std::string& text) {
  const ProgramResult result = run_program("evta-replay", arguments);
  CHECK(result.exit_code == exit_code);
  CHECK_THAT(result.text, Contains(text));
}

TEST_CASE("evta-replay passes all vectors of the accelerator's own model") {
  const auto path = shared_data("vta/vectors.bin");
  if (path) check_run({path->string()}, 0, "360 passed, 0 failed");
}

TEST_CASE("evta-replay counts what fails and says so by its exit code") {
  const auto path = shared_data("vta/vectors.bin");
  if (path) check_run({path->string(), "--configuration", "1x32_15_15_18_17"}, 1, "0 passed, 360 failed");
}

TEST_CASE("evta-replay names bad input") {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", std::as_bytes(std::span("VTAV\1\0\0\0\1\0\0\0\xff")));
  check_run({}, 2, "which file?; see evta-replay --help");
  check_run({folder.path() + "/absent"}, 2, "evta-replay: not found: cannot open");
  check_run({folder.path()}, 2, "is no regular file");
  check_run({text}, 2, "case 0 of 1: the file ends at byte");
  check_run({text, text}, 2, "one file at a time");
  check_run({text, "--nonsense"}, 2, "there is no option --nonsense");
  check_run({text, "--configuration", "1x8"}, 2, "there is no configuration '1x8'");
}

TEST_CASE("evta-replay --help shows how to use it") { check_run({"--help"}, 0, "Example: evta-replay vectors.bin"); }

}  // namespace
}  // namespace nestrt::test
