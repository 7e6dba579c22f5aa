// SPDX-License-Identifier: Apache-2.0
// Tests nestrt debug on the command line.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "drivers/evta/isa/configuration.h"
#include "test/support/example_files.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("nestrt debug runs every program of a plan and lists instructions") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", evta::test::copy_plan(evta::kConfigurations[0]).build().bytes());
  const ProgramResult right = run_program("nestrt", {"debug", plan, "--transport", "sim"});
  INFO(right.text);
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.text, Contains("1 programs of 1x16_15_15_18_17 on simulator match the simulator's results"));
  const ProgramResult list = run_program("nestrt", {"debug", plan, "--list", "--branch", "0"});
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.text, Contains("branch 0 (") && Contains("load wgt") && Contains("finish"));
}

TEST_CASE("nestrt debug runs a program up to an instruction and compares the memory") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", evta::test::copy_plan(evta::kConfigurations[0]).build().bytes());
  const ProgramResult four =
      run_program("nestrt", {"debug", plan, "--transport", "sim", "--branch", "0", "--until", "4"});
  INFO(four.text);
  CHECK(four.exit_code == 0);
  CHECK_THAT(four.text, Contains("the first 4 of 7 instructions:\n  the memory equals the simulator's") &&
                            Contains("     3  ") && !Contains("     4  "));
  const ProgramResult beyond =
      run_program("nestrt", {"debug", plan, "--transport", "sim", "--branch", "0", "--until", "8"});
  CHECK(beyond.exit_code == 2);
  CHECK_THAT(beyond.text, Contains("the program of branch 0 has 7 instructions"));
  CHECK(run_program("nestrt", {"debug", plan, "--transport", "sim", "--until", "4"}).exit_code == 2);
}

TEST_CASE("nestrt debug finds the wrong instruction of a faulty accelerator and writes a bundle") {
  const TemporaryFolder folder;
  const std::string plan = folder.path() + "/plan.nest", bundle = folder.path() + "/bundle";
  const ProgramResult compiled =
      run_program("nestc", {"compile", kDemoModel, "-o", plan, "--quantize", "s8", "--calibrate",
                            NESTRT_SOURCE_DIR "/examples/images", "--mean", "128", "--scale", "0.015625", "--target",
                            "cpu,evta", "--tuning-cache", "none"});
  INFO(compiled.text);
  REQUIRE(compiled.exit_code == 0);
  setenv("NESTRT_COMPONENTS", NESTRT_BINARY_DIR "/test/faulty_components", 1);
  const ProgramResult found = run_program("nestrt", {"debug", plan, "--transport", "sim", "--bundle", bundle});
  unsetenv("NESTRT_COMPONENTS");
  INFO(found.text);
  CHECK(found.exit_code == 1);
  CHECK_THAT(found.text, Contains("first wrong instruction: ") && Contains("its accumulators differ"));
  CHECK_THAT(found.text, Catch::Matchers::Matches("[^>]*\n> +[0-9]+  alu shr [^>]*"));
  const ProgramResult replay = run_program("evta-replay", {bundle + "/program.vtav"});
  CHECK(replay.exit_code == 0);  // the simulator computes what the bundle expects
  CHECK(run_program("nestrt", {"verify", bundle + "/plan.nest", "--units", "cpu,evta:sim"}).exit_code == 0);
}

TEST_CASE("nestrt debug rejects a plan or a branch without a program for EVTA") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", evta::test::copy_plan(evta::kConfigurations[0]).build().bytes());
  const ProgramResult branch = run_program("nestrt", {"debug", plan, "--transport", "sim", "--branch", "7"});
  CHECK(branch.exit_code == 2);
  CHECK_THAT(branch.text, Contains("branch 7 has no program for EVTA"));
  const std::string other = folder.write("other.nest", branches_plan().build().bytes());
  const ProgramResult none = run_program("nestrt", {"debug", other, "--transport", "sim"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.text, Contains("the plan has no program for EVTA"));
}

}  // namespace
}  // namespace nestrt::test
