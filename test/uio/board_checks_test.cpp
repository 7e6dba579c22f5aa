// SPDX-License-Identifier: Apache-2.0
// Tests the steps of `nestrt board setup` and `nestrt board probe`.
#include "drivers/evta/uio/board_checks.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

constexpr uint64_t kEnough = evta::kRecommendedPoolBytes;

const evta::BoardCheck& find(const std::vector<evta::BoardCheck>& checks, std::string_view what) {
  const auto found = std::ranges::find(checks, what, &evta::BoardCheck::what);
  if (found == checks.end()) FAIL("there is no check '" << what << "'");
  return *found;
}

bool are_ok(const std::vector<evta::BoardCheck>& checks) {
  return std::ranges::all_of(checks, [](const auto& check) { return check.status.ok(); });
}

TEST_CASE("A complete set-up passes every check, and setup accesses no register") {
  UioBoard board({.pool_bytes = kEnough});
  board.write("sys/kernel/debug/clk/pl0_ref/clk_rate", "199999999\n");
  board.write("sys/kernel/debug/clk/pl0_ref/clk_enable_count", "1\n");
  const auto setup = evta::check_uio_board(uio_options(), false);
  CHECK(are_ok(setup));
  CHECK(board.num_accesses() == 0);
  CHECK(find(setup, "board").found == "ZynqMP ZCU102 Rev1.0");
  CHECK(find(setup, "clock").found == "pl0_ref at 199.999999 MHz");
  CHECK(find(setup, "memory pool").found == "udmabuf0: 64 MB at 0x70000000, with cache maintenance");
  const auto probe = evta::check_uio_board(uio_options(), true);
  CHECK(are_ok(probe));
  CHECK(find(probe, "probe program").found.find("correct results") != std::string::npos);
}

TEST_CASE("The probe finds a coherent port") {
  const UioBoard board({.is_coherent = true, .pool_bytes = kEnough});
  const auto probe = evta::check_uio_board(uio_options(), true);
  CHECK(find(probe, "probe program").found.find("the port is coherent") != std::string::npos);
}

TEST_CASE("Each fault of a set-up fails its own check, and no register is accessed then") {
  UioBoard board({.pool_bytes = kEnough});
  const auto check_fails = [&](std::string_view what, std::string_view words) {
    const auto checks = evta::check_uio_board(uio_options(), true);
    CAPTURE(find(checks, what).status.to_string());
    CHECK(find(checks, what).status.message().find(words) != std::string_view::npos);
    CHECK(find(checks, "probe program").status.code() == Code::kCancelled);
    CHECK(board.num_accesses() == 0);
  };
  board.write("sys/class/fpga_manager/fpga0/state", "unknown\n");
  check_fails("fabric", "holds no design");
  board.write("sys/class/fpga_manager/fpga0/state", "operating\n");
  board.write("sys/kernel/debug/clk/pl0_ref/clk_rate", "200000000\n");
  board.write("sys/kernel/debug/clk/pl0_ref/clk_enable_count", "0\n");
  check_fails("clock", "pl0_ref is stopped");
  board.write("sys/kernel/debug/clk/pl0_ref/clk_enable_count", "1\n");
  board.write("sys/class/u-dma-buf/udmabuf0/size", "4194304\n");
  check_fails("memory pool", "4 MB, expected at least 64 MB");
  board.write("sys/class/u-dma-buf/udmabuf0/size", std::to_string(kEnough));
  board.write("sys/class/uio/uio0/maps/map0/addr", "0x00100000\n");
  check_fails("registers", "outside the fabric's addresses");
  board.write("sys/class/uio/uio0/maps/map0/addr", "0xa0000000\n");
  board.remove("dev/uio0");
  check_fails("register access", "/dev/uio0");
  board.write("dev/uio0", "");
  {
    const auto owner = open_uio_transport();
    const auto checks = evta::check_uio_board(uio_options(), true);
    CHECK(find(checks, "owner").status.message().find("in use by this process") != std::string_view::npos);
  }
  CHECK(are_ok(evta::check_uio_board(uio_options(), true)));
}

TEST_CASE("Registers that do not belong to the stages are detected by one read") {
  UioBoard board({.pool_bytes = kEnough});
  board.set_stray_bits(0xdeadbeef);
  const auto checks = evta::check_uio_board(uio_options(), true);
  CHECK(find(checks, "register map").status.message().find("not those of stage fetch") != std::string_view::npos);
  CHECK(board.stages().runs_started() == 0);
}

TEST_CASE("A bus error of the registers ends only the child that reads them") {
  UioBoard board({.pool_bytes = kEnough});
  board.raise_bus_errors();
  const auto checks = evta::check_uio_board(uio_options(), true);
  CHECK(find(checks, "register map").status.message().find("ended with signal 7") != std::string_view::npos);
  CHECK(board.stages().runs_started() == 0);
}

TEST_CASE("The probe rejects an accelerator of another configuration") {
  const UioBoard board({.configuration = evta::find_configuration("1x32_15_15_18_17"), .pool_bytes = kEnough});
  const auto checks = evta::check_uio_board(uio_options(), true);
  CHECK(find(checks, "probe program").status.message().find("as configuration 1x16_15_15_18_17: specify the") !=
        std::string_view::npos);
}

}  // namespace
}  // namespace nestrt::boards
