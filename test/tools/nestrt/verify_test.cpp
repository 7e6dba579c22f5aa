// nestrt verify as a user meets it.
#include <catch2/catch.hpp>

#include "test/support/program.h"
#include "test/support/sample_plans.h"
#include "test/support/temporary_folder.h"

namespace nestrt::test {
namespace {

TEST_CASE("A unit that the plan has no program for fails the comparison: nothing was compared") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("plan.nest", branches_plan().build().bytes());
  const ProgramResult result = run_program("nestrt", {"verify", plan, "--units", "cpu,evta"});
  INFO(result.text);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.text, Catch::Matchers::Contains("nothing was compared on evta0"));
}

}  // namespace
}  // namespace nestrt::test
