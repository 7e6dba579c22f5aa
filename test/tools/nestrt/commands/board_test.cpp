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
  CHECK(json["checks"].size() == 11);
  CHECK(json["checks"][0]["check"] == "board");
  CHECK(json["checks"][0]["ok"] == false);
}

TEST_CASE("nestrt board load rejects files that Linux cannot load, and options of other actions") {
  const TemporaryFolder root;
  const Environment variable("NESTRT_SYSTEM_ROOT", root.path().c_str());
  const auto check_rejects = [](const std::vector<std::string>& arguments, const std::string& words) {
    const ProgramResult result = run_program("nestrt", arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.text, Contains(words));
  };
  check_rejects({"board", "load"}, "use --overlay, --bitstream or both");
  check_rejects({"board", "load", "--overlay", "evta.dtbo"}, "cp evta.dtbo /lib/firmware");
  check_rejects({"board", "load", "--overlay", "evta.dtbo", "--device", "uio0"}, "need the action setup or probe");
  check_rejects({"board", "setup", "--overlay", "evta.dtbo"}, "need the action load, not setup");
  check_rejects({"board", "probe", "--device-wait", "1"}, "need the action load, not probe");
}

TEST_CASE("nestrt board load states what a system without an FPGA manager lacks") {
  const TemporaryFolder root;
  std::filesystem::create_directories(root.path() + "/lib/firmware");
  std::ofstream(root.path() + "/lib/firmware/evta.bit.bin") << "bitstream";
  const Environment variable("NESTRT_SYSTEM_ROOT", root.path().c_str());
  const ProgramResult result = run_program("nestrt", {"board", "load", "--bitstream", "evta.bit.bin"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.text, Contains("FAILED  FPGA manager") && Contains("-       bitstream"));
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
