// SPDX-License-Identifier: Apache-2.0
// Tests messages that nestrt prints in addition to its results.
#include <catch2/catch.hpp>

#include "test/support/plan/copy_plan.h"
#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/environment.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("Progress is printed as occasional lines if the terminal cannot redraw") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  const std::vector<std::string> bench = {"bench", plan, "--runs", "3", "--warmup", "0"};
  CHECK_THAT(run_program("nestrt", bench).text, !Contains("3/3"));  // not within ten seconds
  const Environment always("NESTRT_PROGRESS", "0");
  const ProgramResult result = run_program("nestrt", bench);
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("runs  [") && Contains("] 1/3") && Contains("] 3/3\n") && !Contains("\x1b"));
}

TEST_CASE("Warnings of nestrt start with its name") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  const Environment nonsense("NESTRT_ISA", "nonsense");
  CHECK_THAT(run_program("nestrt", {"verify", plan}).text, Contains("nestrt: warning: NESTRT_ISA=nonsense"));
}

TEST_CASE("nestrt warns if the clock of --pace differs from the plan's") {
  const TemporaryFolder folder;
  const auto warned_at = [&](float clock_mhz) {
    PlanBuilder network = evta::test::random_network(evta::kConfigurations[0], 2, 1);
    network.tables().targets = {{"evta", evta::to_text(evta::Instances()), clock_mhz}};
    const std::string plan = folder.write("network.nest", network.build().bytes());
    const ProgramResult result = run_program(
        "nestrt", {"bench", plan, "--runs", "1", "--warmup", "0", "--units", "cpu,evta:sim", "--pace", "1"});
    INFO(result.text);
    CHECK(result.exit_code == 0);
    return result.text.find("--pace: 'evta' has the timing of a ZCU102") != std::string::npos;
  };
  CHECK(warned_at(333));
  CHECK_FALSE(warned_at(200));
  CHECK_FALSE(warned_at(0));  // unknown
}

TEST_CASE("'-' is rejected as a report file") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  const ProgramResult result = run_program("nestrt", {"bench", plan, "--runs", "1", "--json", "-"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text, Contains("standard output is /dev/stdout"));
}

TEST_CASE("A value that is not a number of the option's type is rejected with the expected type") {
  const auto message = [](const std::vector<std::string>& options) {
    std::vector<std::string> command = {"run", "absent.nest"};
    command.insert(command.end(), options.begin(), options.end());
    const ProgramResult result = run_program("nestrt", command);
    CHECK(result.exit_code == 2);
    return result.text;
  };
  CHECK_THAT(message({"--mean", "1,abc"}), Contains("--mean: expected a number, got '1,abc'; see nestrt run --help"));
  CHECK_THAT(message({"--resize", "1.5"}), Contains("--resize: expected an integer in range, got '1.5'"));
  CHECK_THAT(message({"--resize", "-1"}), Contains("--resize: expected an integer in range, got '-1'"));
}

TEST_CASE("A message that ends with a list has no escaped line break") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("maps.nest", maps_plan().build().bytes());
  const std::string labels = folder.write_text("labels.tsv", "a.png\t0\n");
  const ProgramResult result = run_program("nestrt", {"eval", plan, "--images", folder.path(), "--labels", labels});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text, Contains("map  f32  1x3x8x8\n") && !Contains("\\n"));
}

}  // namespace
}  // namespace nestrt::test
