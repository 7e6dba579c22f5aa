// nestrt bench as a user meets it.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "test/support/copy_plan.h"
#include "test/support/program.h"
#include "test/support/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("Each unit's part of the time is shown, in the table and in JSON, with the machine's state") {
  const TemporaryFolder folder;
  const std::string plan = folder.path() + "/network.nest", json = folder.path() + "/bench.json";
  const PlanFile file = evta::test::random_network(evta::kConfigurations[0], 6, 1).build();
  std::ofstream(plan).write(reinterpret_cast<const char*>(file.bytes().data()),
                            static_cast<std::streamsize>(file.bytes().size()));
  const ProgramResult result =
      run_program("nestrt", {"bench", plan, "--units", "cpu,evta:sim", "--threads", "1", "--schedule", "file-order",
                             "--runs", "5", "--warmup", "1", "--per-unit", "--json", json});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("jitter") && Contains("\nunit ") && Contains("\ncpu ") && Contains("\nevta0 "));
  CHECK_THAT(text_of(json), Contains("\"jitter_ms\"") && Contains("\"busy_median_ms\"") && Contains("\"evta0\"") &&
                                Contains("\"machine_before\"") && Contains("\"machine_after\""));
}

}  // namespace
}  // namespace nestrt::test
