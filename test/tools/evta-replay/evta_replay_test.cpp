// SPDX-License-Identifier: Apache-2.0
// Tests evta-replay on the command line.
#include <catch2/catch.hpp>

#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/shared_data.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

void check_run(const std::vector<std::string>& arguments, int exit_code, const std::string& text) {
  const ProgramResult result = run_program("evta-replay", arguments);
  CHECK(result.exit_code == exit_code);
  CHECK_THAT(result.text, Contains(text));
}

TEST_CASE("evta-replay passes all vectors of the accelerator's own model") {
  const auto path = shared_data("vta/vectors.bin");
  if (path) check_run({path->string()}, 0, "360 passed, 0 failed");
}

TEST_CASE("evta-replay counts failures and reports them in its exit code") {
  const auto path = shared_data("vta/vectors.bin");
  if (path) check_run({path->string(), "--configuration", "1x32_15_15_18_17"}, 1, "0 passed, 360 failed");
}

TEST_CASE("evta-replay prints verdicts, reasons and modelled cycles as JSON") {
  const auto path = shared_data("rtl/hazards.bin");
  if (!path) return;
  const std::vector<std::string> options = {"--cycles", "hls_zynq7020", "--json", path->string()};
  check_run(options, 1, "\"vectors\": [\n    {\n      \"name\": \"gemm_waw_1\",\n      \"passed\": false,\n");
  check_run(options, 1, "\"reason\": \"checker: instruction 4 (gemm): writes an accumulator");
  check_run(options, 1, "\"name\": \"gemm_waw_3\",\n      \"passed\": true,\n      \"cycles\": ");
}

TEST_CASE("evta-replay passes vectors that rely on a reset and reports why a driver would reject them") {
  const auto path = shared_data("rtl/transfers.bin");
  if (!path) return;
  // The HLS RTL takes 135 and 205 cycles. out_1_1_1 stores accumulators that it has not written.
  const std::string refusal = "checker: instruction 1 (alu): reads acc[0], which the program has not written";
  check_run({"--cycles", "hls_zynq7020", path->string()}, 0, "inp_1_1_1: 135 cycles\n");
  check_run({"--cycles", "hls_zynq7020", path->string()}, 0, "out_1_1_1: relies on a reset: " + refusal + "\n");
  check_run({path->string()}, 0, "116 passed, 0 failed");
  check_run(
      {"--cycles", "hls_zynq7020", "--json", path->string()}, 0,
      "\"name\": \"out_1_1_1\",\n      \"passed\": true,\n      \"cycles\": 205,\n      \"needs_reset\": \"" + refusal);
}

TEST_CASE("evta-replay also prints modelled cycles of rejected vectors") {
  const auto path = shared_data("rtl/hazards.bin");
  if (path)
    check_run({"--cycles", "hls_zynq7020", "--json", path->string()}, 1,
              "\"name\": \"gemm_waw_1\",\n      \"passed\": false,\n      \"cycles\": ");
}

TEST_CASE("evta-replay reports invalid input") {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", std::as_bytes(std::span("VTAV\1\0\0\0\1\0\0\0\xff")));
  check_run({}, 2, "expected a FILE; see evta-replay --help");
  check_run({folder.path() + "/absent"}, 2, "evta-replay: not found: cannot open");
  check_run({folder.path()}, 2, "is not a regular file");
  check_run({text}, 2, "case 0 of 1: the file ends at byte");
  check_run({text, text}, 2, "expected one FILE; got '");
  check_run({text, "--nonsense"}, 2, "unknown option '--nonsense'; see evta-replay --help");
  check_run({text, "--configuration", "1x8"}, 2, "unknown configuration '1x8'; available: 1x16_15_15_18_17, ");
  check_run({text, "--configuration"}, 2, "--configuration requires a name");
  check_run({text, "--cycles", "fast"}, 2, "unknown profile 'fast'; available: chisel2019, ");
}

TEST_CASE("evta-replay --help shows how to use it") { check_run({"--help"}, 0, "Example: evta-replay vectors.bin"); }

}  // namespace
}  // namespace nestrt::test
