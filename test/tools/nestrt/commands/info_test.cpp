// SPDX-License-Identifier: Apache-2.0
// Tests nestrt info on the command line.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "test/support/evta/intensity.h"
#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("nestrt info without a plan lists the units of the machine and why one is not usable") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/units.json";
  const ProgramResult result = run_program("nestrt", {"info", "--json", file});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("cpu ") && Contains("evta:sim  1x16_15_15_18_17") && Contains("usable"));
  CHECK_THAT(result.text, Contains("not usable") && Contains("\nevta: "));  // no board is connected
}

TEST_CASE("nestrt info rejects options without effect if there is no plan") {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--units", "nonsense"},
                                                  {"--units", "evta:sim:1x32_15_15_18_17"},
                                                  {"--cpus", "0"},
                                                  {"--partition", "none.yaml"},
                                                  {"--shape", "2"}}) {
    std::vector<std::string> arguments = {"info"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = run_program("nestrt", arguments);
    INFO(result.text);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.text, Contains(options[0]) && Contains("requires a plan"));
  }
}

TEST_CASE("nestrt info --json does not overwrite a plan") {
  const TemporaryFolder folder;
  const std::string plan = folder.write_text("model.nest", "NESTPLAN and so on");
  const ProgramResult result = run_program("nestrt", {"info", "--json", plan});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text, Contains("is a plan") && Contains("name another file"));
  CHECK(std::filesystem::file_size(plan) == 18);
}

TEST_CASE("nestrt info shows the row-fused operators and the traffic that fusion saves") {
  const TemporaryFolder folder;
  const std::string plan = folder.path() + "/plan.nest", file = folder.path() + "/plan.json";
  folder.write("plan.nest", inverted_residual_plan().build().bytes());
  const ProgramResult result = run_program("nestrt", {"info", plan, "--json", file});
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text,
             Contains("stay in a cache; ") && Contains("MAC per byte moved, " + intensity_alone(file, "moved_bytes")));
}

TEST_CASE("The reason why a unit is not usable is printed in full") {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/units.json";
  const ProgramResult result = run_program("nestrt", {"info", "--json", file});
  std::ifstream stream(file);
  const nlohmann::json answer = nlohmann::json::parse(stream);
  REQUIRE_FALSE(answer["units"].empty());
  for (const nlohmann::json& unit : answer["units"])
    CHECK_THAT(result.text, Contains(unit["reason"].get<std::string>()));
}

}  // namespace
}  // namespace nestrt::test
