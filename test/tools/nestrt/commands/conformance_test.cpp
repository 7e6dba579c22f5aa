// SPDX-License-Identifier: Apache-2.0
// Tests nestrt conformance on the command line.
#include <catch2/catch.hpp>

#include "test/support/example_files.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

// Copies 64 bytes.
const std::string kCopy("SKL1\1\0\0\0\1\0\0\0\100\0\0\0", 16);

ProgramResult test_blob(const TemporaryFolder& folder, const std::string& blob, const std::string& output_bytes) {
  const std::string file = folder.write_text("copy.blob", blob);
  return run_program("nestrt", {"conformance", "--plugin", kSkeletonPlugin, "--blob", file, "--input-bytes", "64",
                                "--output-bytes", output_bytes});
}

TEST_CASE("The conformance suite reports the result of each case") {
  const TemporaryFolder folder;
  const ProgramResult result = test_blob(folder, kCopy, "64");
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Catch::Contains("ok      the end of a run is reported once, with its number"));
  CHECK_THAT(result.text, Catch::Contains("22 of 22 cases passed"));
}

TEST_CASE("A failed conformance case reports the reason, and the command exits with 1") {
  const TemporaryFolder folder;
  const ProgramResult result = test_blob(folder, kCopy, "32");
  INFO(result.text);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.text, Catch::Contains("FAILED  a program has the inputs and outputs that it was compiled for"));
  CHECK_THAT(result.text, Catch::Contains("reports 64 bytes for port 1 of its program, but the plan has 32"));
}

TEST_CASE("The CPU and a simulated accelerator pass the conformance suite of units") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("copy.nest", evta::test::copy_plan(evta::kConfigurations[0]).build().bytes());
  const ProgramResult result = run_program("nestrt", {"conformance", plan, "--units", "evta:sim,cpu"});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  const size_t evta = result.text.find("evta0 ("), cpu = result.text.find("cpu (");
  REQUIRE(evta < cpu);
  REQUIRE(cpu < result.text.size());
  CHECK_THAT(result.text.substr(evta, cpu - evta), Catch::Contains("9 of 9 cases passed"));
  CHECK_THAT(result.text.substr(cpu), Catch::Contains("9 of 9 cases passed"));
}

TEST_CASE("nestrt conformance rejects incomplete arguments") {
  const TemporaryFolder folder;
  const auto refusal = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "conformance");
    const ProgramResult result = run_program("nestrt", arguments);
    INFO(result.text);
    CHECK(result.exit_code == 2);
    return result.text;
  };
  CHECK_THAT(refusal({"--plugin", kSkeletonPlugin}), Catch::Contains("a PLAN with a vendor program, or --blob"));
  CHECK_THAT(refusal({}), Catch::Contains("--plugin with a vendor library, or --units"));
  CHECK_THAT(refusal({"--units", "cpu"}), Catch::Contains("a PLAN with a program for each"));
  CHECK_THAT(refusal({"--plugin", kSkeletonPlugin, "--isolate"}), Catch::Contains("--isolate requires --units"));
  const std::string plan = folder.write("copy.nest", evta::test::copy_plan(evta::kConfigurations[0]).build().bytes());
  CHECK_THAT(refusal({plan, "--units", "evta:sim:1x32_15_15_18_17"}), Catch::Contains("no program for unit 'evta0'"));
  CHECK_THAT(test_blob(folder, kCopy, "many").text, Catch::Contains("expected numbers of bytes such as 64,64"));
  CHECK_THAT(refusal({"--plugin", "none.so", "--blob", folder.write_text("a", kCopy), "--output-bytes", "64"}),
             Catch::Contains("plug-in 'none.so' does not exist"));
}

}  // namespace
}  // namespace nestrt::test
