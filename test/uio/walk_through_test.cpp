// SPDX-License-Identifier: Apache-2.0
// Runs the nestrt commands of docs/how-to/uio.md, pynq.md and debug-npu.md on the emulated board. Sets up a new board
// step by step, runs a network, and debugs wrong results and hangs.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "test/support/example_files.h"
#include "test/support/plan/program.h"
#include "test/support/process/temporary_folder.h"
#include "test/uio/emulation/overlay_file.h"
#include "test/uio/emulation/uio_board.h"
#include "tools/nestrt/commands.h"

namespace nestrt::boards {
namespace {

using Catch::Matchers::Contains;

struct Outcome {
  int exit_code = 0;
  std::string text;
};

// Runs a command of nestrt in this process, where the board is emulated, and returns what it prints.
Outcome run_nestrt(std::vector<std::string> arguments) {
  tools::Cli cli("nestrt", "");
  command::add_bench(cli);
  command::add_verify(cli);
  command::add_board(cli);
  command::add_debug(cli);
  arguments.insert(arguments.begin(), "nestrt");
  std::vector<const char*> words;
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  const test::TemporaryFolder folder;
  const std::string path = folder.write_text("output", "");
  std::fflush(stdout);
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC), before = ::dup(STDOUT_FILENO);
  REQUIRE(::dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
  Outcome outcome;
  outcome.exit_code = cli.run(static_cast<int>(words.size()), words.data());
  std::fflush(stdout);
  REQUIRE(::dup2(before, STDOUT_FILENO) == STDOUT_FILENO);
  ::close(before);
  ::close(file);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  outcome.text = text.str();
  return outcome;
}

std::string compile_demo(const test::TemporaryFolder& folder) {
  std::string plan = folder.path() + "/nest_squeeze.nest";
  const test::ProgramResult compiled =
      test::run_program("nestc", {"compile", test::kDemoModel, "-o", plan, "--target", "zcu102", "--quantize", "s8",
                                  "--calibrate", NESTRT_SOURCE_DIR "/examples/images", "--mean", "128,128,128",
                                  "--scale", "0.015625", "--tuning-cache", "none"});
  INFO(compiled.text);
  REQUIRE(compiled.exit_code == 0);
  return plan;
}

UioBoardOptions complete_board() {
  return {.most_micro_ops = kAnyNumberOfMicroOps, .pool_address = 0x60000000, .pool_bytes = 128 << 20};
}

// Changes the instructions to what a design with a faulty shifter executes.
void shift_too_far(std::vector<evta::Instruction>& instructions) {
  size_t shifts = 0;
  for (evta::Instruction& instruction : instructions)
    if (instruction.opcode == evta::Opcode::kAlu && instruction.alu().opcode == evta::AluOpcode::kShr && ++shifts == 2)
      ++std::get<evta::Alu>(instruction.operands).immediate;
}

void check_next_step(std::string_view failed, const std::string& remedy) {
  const Outcome outcome = run_nestrt({"board", "probe"});
  CAPTURE(outcome.text);
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.text, Contains(fmt::format("FAILED  {:<17}", failed)) && Contains(remedy));
}

TEST_CASE("nestrt board probe guides the set-up of a new board step by step, up to its first benchmark") {
  UioBoard board(complete_board());
  const std::string root = board.root();
  board.write("sys/class/fpga_manager/fpga0/state", "unknown\n");
  board.remove("sys/class/u-dma-buf");
  std::filesystem::rename(root + "/sys/class/uio", root + "/uio");
  check_next_step("fabric", "nestrt board load --overlay evta.dtbo");
  board.write("lib/firmware/evta.bit.bin", "bitstream");
  board.write("lib/firmware/evta.dtbo", make_overlay("evta.bit.bin"));
  const Outcome load = run_nestrt({"board", "load", "--overlay", "evta.dtbo"});
  CAPTURE(load.text);
  CHECK(load.exit_code == 0);
  CHECK_THAT(load.text, Contains("evta.dtbo with evta.bit.bin"));
  check_next_step("registers", "modprobe uio_pdrv_genirq of_id=generic-uio");
  std::filesystem::rename(root + "/uio", root + "/sys/class/uio");
  check_next_step("memory pool", "modprobe u-dma-buf");
  CHECK(board.num_accesses() == 0);
  for (const char* const name : {"sync_for_device", "sync_for_cpu"})
    board.write(std::string("sys/class/u-dma-buf/udmabuf0/") + name, "0\n");
  board.write("sys/class/u-dma-buf/udmabuf0/phys_addr", "0x60000000\n");
  board.write("sys/class/u-dma-buf/udmabuf0/size", "134217728\n");
  board.write("sys/class/u-dma-buf/udmabuf0/dma_coherent", "0\n");
  const Outcome probe = run_nestrt({"board", "probe"});
  CAPTURE(probe.text);
  CHECK(probe.exit_code == 0);
  CHECK_THAT(probe.text, Contains("not coherent: caches need maintenance"));
  const test::TemporaryFolder folder;
  const std::string plan = compile_demo(folder);
  const Outcome verify = run_nestrt({"verify", plan, "--units", "cpu,evta:uio"});
  CAPTURE(verify.text);
  CHECK(verify.exit_code == 0);
  CHECK_THAT(verify.text, Contains("bit for bit"));
  const Outcome bench =
      run_nestrt({"bench", plan, "--units", "cpu,evta:uio", "--per-unit", "--runs", "2", "--warmup", "0"});
  CAPTURE(bench.text);
  CHECK(bench.exit_code == 0);
  CHECK_THAT(bench.text, Contains("evta0"));
}

TEST_CASE("The commands in pynq.md find the registers in /dev/mem") {
  const UioBoard board(complete_board());
  const test::TemporaryFolder folder;
  const Outcome probe = run_nestrt({"board", "probe", "--device", "mem:0xa0000000"});
  CAPTURE(probe.text);
  CHECK(probe.exit_code == 0);
  const Outcome verify =
      run_nestrt({"verify", compile_demo(folder), "--units", "cpu,evta:uio", "--device", "mem:0xa0000000"});
  CAPTURE(verify.text);
  CHECK(verify.exit_code == 0);
}

TEST_CASE("On a board that computes wrong results, nestrt verify fails and nestrt debug names the instruction") {
  UioBoardOptions options = complete_board();
  options.defect = shift_too_far;
  const UioBoard board(options);
  const test::TemporaryFolder folder;
  const std::string plan = compile_demo(folder), bundle = folder.path() + "/report";
  CHECK(run_nestrt({"board", "probe"}).exit_code == 0);  // the probe program has one shift
  CHECK(run_nestrt({"verify", plan, "--units", "cpu,evta:uio"}).exit_code == 1);
  const Outcome debug = run_nestrt({"debug", plan, "--transport", "uio", "--bundle", bundle});
  CAPTURE(debug.text);
  CHECK(debug.exit_code == 1);
  CHECK_THAT(debug.text, Contains("its accumulators differ") && Contains("alu shr") && Contains("compute done"));
  CHECK(test::run_program("evta-replay", {bundle + "/program.vtav"}).exit_code == 0);
}

TEST_CASE("On a board that hangs, nestrt debug shows the registers and the advice to load the bitstream again") {
  UioBoard board(complete_board());
  const test::TemporaryFolder folder;
  const std::string plan = compile_demo(folder);
  board.faults().next_run(RunFault::kNone);  // for the coherence test
  board.faults().next_run(RunFault::kHang);
  const Outcome debug = run_nestrt({"debug", plan, "--transport", "uio", "--timeout", "0.5"});
  CAPTURE(debug.text);
  CHECK(debug.exit_code == 1);
  CHECK_THAT(debug.text, Contains("register fetch") && Contains("the search ended: ") && Contains("bitstream"));
}

}  // namespace
}  // namespace nestrt::boards
