// SPDX-License-Identifier: Apache-2.0
// Tests nestrt board on the command line.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "test/support/plan/program.h"
#include "test/support/process/environment.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("nestrt board lists what a system lacks and how to add it, and accesses nothing") {
  const TemporaryFolder root;
  std::filesystem::create_directory(root.path() + "/tmp");
  const Environment variable("NESTRT_SYSTEM_ROOT", root.path().c_str());
  const std::string file = root.path() + "/board.json";
  for (const char* const action : {"setup", "probe"}) {
    const ProgramResult result = run_program("nestrt", {"board", action, "--json", file});
    INFO(result.text);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.text, Contains("FAILED  registers") && Contains("modprobe uio_pdrv_genirq"));
    CHECK_THAT(result.text, Contains("FAILED  memory pool") && Contains("modprobe u-dma-buf"));
  }
  const auto json = nlohmann::json::parse(std::ifstream(file));
  CHECK(json["checks"].size() == 10);
  CHECK(json["checks"][0]["check"] == "board");
  CHECK(json["checks"][0]["ok"] == false);
}

TEST_CASE("nestrt board rejects unknown actions and configurations") {
  CHECK(run_program("nestrt", {"board"}).exit_code == 2);
  CHECK(run_program("nestrt", {"board", "flash"}).exit_code == 2);
  const ProgramResult result = run_program("nestrt", {"board", "probe", "--configuration", "2x8"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text, Contains("unknown configuration '2x8'"));
}

}  // namespace
}  // namespace nestrt::test
