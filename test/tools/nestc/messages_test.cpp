// What nestc says beside its results, as a user meets it.
#include <catch2/catch.hpp>

#include "test/support/environment.h"
#include "test/support/program.h"
#include "test/support/sample_plans.h"
#include "test/support/temporary_folder.h"

namespace nestrt::test {
namespace {

TEST_CASE("Warnings of nestc bear its name") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  const Environment nonsense("NESTRT_ISA", "nonsense");
  const ProgramResult result = run_program("nestc", {"inspect", plan});
  CHECK_THAT(result.text, Catch::Contains("nestc: warning: NESTRT_ISA=nonsense") && !Catch::Contains("[nestrt]"));
}

}  // namespace
}  // namespace nestrt::test
