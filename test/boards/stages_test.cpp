// SPDX-License-Identifier: Apache-2.0
// Tests EVTA as four stages, whose registers the transport writes. No kernel driver takes part in a run.
#include "test/boards/logic/stages.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "test/boards/emulation/evta_board.h"
#include "test/boards/emulation/probe_run.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::boards {
namespace {

std::unique_ptr<evta::Transport> open_stages() {
  Board& board = Board::instance();
  board.faults().forget();
  board.reset_card();
  board.set_configuration(evta::test::stock_configuration());
  auto transport = evta::make_xrt_transport(options_for(stages_xclbin()));
  if (!transport) FAIL(transport.error().to_string());
  return std::move(*transport);
}

TEST_CASE("A program runs repeatedly on the four stages") {
  ProbeRun probe(open_stages());
  for (int i = 0; i < 20; ++i) {
    const Status status = probe.run();
    CAPTURE(status.to_string());
    REQUIRE(status.ok());
    CHECK(probe.is_right());
  }
}

TEST_CASE("A program runs on user-managed kernels in any bank, each with its own registers") {
  Board& board = Board::instance();
  board.faults().forget();
  board.set_configuration(evta::test::stock_configuration());
  evta::XrtOptions options = options_for(user_managed_xclbin());
  for (options.instance = 0; options.instance < 2; ++options.instance) {
    auto transport = evta::make_xrt_transport(options);
    if (!transport) FAIL(transport.error().to_string());
    ProbeRun probe(std::move(*transport));
    CHECK(probe.run().ok());
    CHECK(probe.is_right());
    CHECK(board.stages(static_cast<size_t>(options.instance))->runs_started() == 1);
  }
}

TEST_CASE("The stages show the end of the previous run until the next one has started") {
  Board& board = Board::instance();
  board.faults().forget();
  Stages stages(Accelerator(evta::test::stock_configuration(), board.memory()), board.faults());
  for (const Stage stage : {Stage::kLoad, Stage::kCompute, Stage::kStore}) stages.write(stage, 0x00, 0x81);
  for (int run = 0; run < 2; ++run) {
    CHECK(stages.read(Stage::kFetch, 0x00) == 0x04);
    CHECK(stages.read(Stage::kCompute, 0x18) == 0);  // no program is set, so it never ends
    stages.write(Stage::kFetch, 0x00, 0x01);
    CHECK((stages.read(Stage::kFetch, 0x00) & 0x04) == 0);
    stages.reset();
    for (const Stage stage : {Stage::kLoad, Stage::kCompute, Stage::kStore}) stages.write(stage, 0x00, 0x81);
  }
}

TEST_CASE("Reading the registers of the stages does not hide the end of a run") {
  ProbeRun probe(open_stages());
  Board::instance().faults().next_run(RunFault::kLate);
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  const std::vector<evta::DeviceRegister> running = probe.transport().registers();
  CHECK(probe.wait().ok());
  const std::vector<evta::DeviceRegister> ended = probe.transport().registers();
  const auto value = [](const std::vector<evta::DeviceRegister>& registers, std::string_view name) {
    const auto found = std::ranges::find(registers, name, &evta::DeviceRegister::name);
    return found == registers.end() ? UINT32_MAX : found->value;
  };
  CHECK(value(running, "fetch count") == value(ended, "fetch count"));
  CHECK(value(ended, "fetch control") == 0x4);
  CHECK(value(ended, "compute done") == 1);
}

TEST_CASE("The end of the previous run is not mistaken for the end of the current one") {
  ProbeRun probe(open_stages());
  REQUIRE(probe.run().ok());
  for (int i = 0; i < 5; ++i) {
    Board::instance().faults().next_run(RunFault::kLate);
    const auto start = SteadyClock::now();
    REQUIRE(probe.run().ok());
    CHECK(SteadyClock::now() - start >= std::chrono::milliseconds(20));
    CHECK(probe.is_right());
  }
}

TEST_CASE("A reset fails after its time limit as long as stages hang") {
  ProbeRun probe(open_stages());
  Board::instance().faults().next_run(RunFault::kHang);
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  CHECK(probe.wait(std::chrono::milliseconds(20)).code() == Code::kDeadlineExceeded);
  const Status status = probe.transport().reset();
  CHECK(status.code() == Code::kDeviceFault);
  CHECK(status.message().find("cannot be reset") != std::string_view::npos);
  CHECK(probe.start().code() == Code::kUnavailable);
  const auto start = SteadyClock::now();
  CHECK_FALSE(probe.transport().reset().ok());  // does not wait again
  CHECK(SteadyClock::now() - start < std::chrono::seconds(1));
  Board::instance().stages()->end_hang();
  CHECK(probe.wait().ok());
  CHECK(probe.transport().reset().ok());
  CHECK(probe.run().ok());
}

TEST_CASE("After a reset of the card the hanging run has ended and the stages work again") {
  Board& board = Board::instance();
  {
    ProbeRun probe(open_stages());
    board.faults().next_run(RunFault::kHang);
    REQUIRE(probe.transfer_inputs().ok());
    REQUIRE(probe.start().ok());
    CHECK_FALSE(probe.transport().reset().ok());
    board.reset_card();
    CHECK(probe.transport().reset().ok());
    CHECK(probe.run().ok());
    board.faults().next_run(RunFault::kHang);
    REQUIRE(probe.transfer_inputs().ok());
    REQUIRE(probe.start().ok());
    board.reset_card();
  }
  ProbeRun next(open_stages());  // the stages are released
  CHECK(next.run().ok());
}

TEST_CASE("A cancelled run ends when its stages are idle") {
  ProbeRun probe(open_stages());
  Board::instance().faults().next_run(RunFault::kLate);
  REQUIRE(probe.transfer_inputs().ok());
  REQUIRE(probe.start().ok());
  CHECK(probe.transport().reset().ok());
  REQUIRE(probe.take_results().ok());
  CHECK(probe.is_right());
}

TEST_CASE(
    "Stages that run a program of another process are waited for when they are opened, and refused if they hang") {
  {
    ProbeRun probe(open_stages());
    REQUIRE(probe.run().ok());
  }
  Board& board = Board::instance();
  board.faults().next_run(RunFault::kHang);
  board.stages()->write(Stage::kFetch, 0x00, 0x01);
  const auto refused = evta::make_xrt_transport(options_for(stages_xclbin()));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == Code::kUnavailable);
  CHECK(refused.error().message().find("still runs a program") != std::string_view::npos);
  board.reset_card();
  CHECK(evta::make_xrt_transport(options_for(stages_xclbin())));
}

TEST_CASE("Stages that another process started are not started again") {
  ProbeRun probe(open_stages());
  Board::instance().stages()->write(Stage::kFetch, 0x00, 0x01);
  const Status status = probe.start();
  CHECK(status.code() == Code::kDeviceFault);
  CHECK(status.message().find("not idle") != std::string_view::npos);
  Board::instance().reset_card();
  CHECK(probe.run().ok());
}

}  // namespace
}  // namespace nestrt::boards
