// SPDX-License-Identifier: Apache-2.0
// Tests messages that nestc prints in addition to its results.
#include <catch2/catch.hpp>

#include "test/support/evta/intensity.h"
#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/environment.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

TEST_CASE("Warnings of nestc start with its name") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  const Environment nonsense("NESTRT_ISA", "nonsense");
  const ProgramResult result = run_program("nestc", {"inspect", plan});
  CHECK_THAT(result.text, Catch::Contains("nestc: warning: NESTRT_ISA=nonsense") && !Catch::Contains("[nestrt]"));
}

TEST_CASE("nestc inspect shows the traffic that row fusion saves") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", inverted_residual_plan().build().bytes());
  const std::string file = folder.path() + "/plan.json";
  const ProgramResult result = run_program("nestc", {"inspect", plan, "--json", file});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.text,
             Catch::Contains("row fusion") && Catch::Contains("MAC per byte moved, " + intensity_alone(file, "bytes")));
}

}  // namespace
}  // namespace nestrt::test
