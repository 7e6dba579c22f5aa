// SPDX-License-Identifier: Apache-2.0
// Tests the check of the widths of the ports between processor and fabric.
#include "drivers/evta/uio/port_widths.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "drivers/evta/uio/board_checks.h"
#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

using Catch::Matchers::Contains;

constexpr uint64_t kOfInstalledOverlay = 0xa0000000;
using AfiPairs = std::vector<std::pair<uint32_t, uint32_t>>;

// Writes the property config-afi of a device as the device tree stores it, big-endian.
void set_ports(UioBoard& board, const AfiPairs& pairs, const std::string& device = "afi0") {
  std::string cells;
  for (const auto& [index, value] : pairs)
    for (const uint32_t number : {index, value})
      for (int shift = 24; shift >= 0; shift -= 8) cells += static_cast<char>(number >> shift & 0xff);
  board.write("sys/bus/platform/devices/" + device + "/of_node/config-afi", cells);
  board.write("sys/bus/platform/devices/" + device + "/driver/bind", "");
}

evta::PortWidths widths_of(const UioBoard& board, std::optional<uint64_t> registers = kOfInstalledOverlay) {
  const auto widths = evta::check_port_widths(evta::SystemFiles(board.root()), registers);
  if (!widths) FAIL(widths.error().to_string());
  return *widths;
}

void check_width_error(const UioBoard& board, Code code, const std::string& words) {
  const auto widths = evta::check_port_widths(evta::SystemFiles(board.root()), kOfInstalledOverlay);
  REQUIRE_FALSE(widths);
  CHECK(widths.error().code() == code);
  CHECK_THAT(std::string(widths.error().message()), Contains(words));
}

TEST_CASE("The widths of the installed overlay are those of VTA's design") {
  UioBoard board;
  set_ports(board, {{0, 0}, {1, 0}, {14, 0}});
  const evta::PortWidths widths = widths_of(board);
  CHECK(widths.found == "S_AXI_HPC0_FPD 128 bits, M_AXI_HPM0_FPD 32 bits, M_AXI_HPM1_FPD 32 bits");
  CHECK(widths.advice.empty());
}

TEST_CASE("Without config-afi, the boot image has set the widths") {
  const UioBoard board;
  CHECK_THAT(widths_of(board).found, Contains("as set by the boot image"));
}

TEST_CASE("Each value of a port's register has its width") {
  UioBoard board;
  set_ports(board, {{4, 1}, {5, 1}, {6, 2}, {7, 2}, {12, 0}, {13, 0}, {14, 0x900}, {15, 0x100}});
  CHECK(widths_of(board, std::nullopt).found ==
        "S_AXI_HP0_FPD 64 bits, S_AXI_HP1_FPD 32 bits, S_AXI_LPD 128 bits, M_AXI_HPM0_FPD 64 bits, M_AXI_HPM1_FPD 128 "
        "bits, M_AXI_HPM0_LPD 64 bits");
}

TEST_CASE("Widths other than those of VTA's design are advice, for the port of the registers and those of memory") {
  UioBoard board;
  set_ports(board, {{0, 2}, {1, 2}, {14, 0xa00}, {15, 0x200}});
  const std::string slave = "S_AXI_HPC0_FPD has 32 bits, in VTA's design 128";
  const std::string remedy = "; correct config-afi in the device tree overlay, unless your design has these widths";
  CHECK(widths_of(board).advice == slave + ", M_AXI_HPM0_FPD has 128 bits, in VTA's design 32" + remedy);
  CHECK(widths_of(board, 0xb0000000).advice == slave + ", M_AXI_HPM1_FPD has 128 bits, in VTA's design 32" + remedy);
  CHECK(widths_of(board, 0x80000000).advice == slave + ", M_AXI_HPM0_LPD has 128 bits, in VTA's design 32" + remedy);
  CHECK(widths_of(board, std::nullopt).advice == slave + remedy);
}

TEST_CASE("Widths that cannot work are errors") {
  UioBoard board;
  set_ports(board, {{0, 0}, {1, 2}});
  check_width_error(board, Code::kIncompatible, "different widths for reads and writes of S_AXI_HPC0_FPD");
  set_ports(board, {{3, 0}});
  check_width_error(board, Code::kIncompatible, "reads and writes of S_AXI_HPC1_FPD (registers 2 and 3)");
  set_ports(board, {{0, 3}, {1, 3}});
  check_width_error(board, Code::kIncompatible, "S_AXI_HPC0_FPD to a reserved width");
  set_ports(board, {{14, 0x300}});
  check_width_error(board, Code::kIncompatible, "M_AXI_HPM0_FPD to a reserved width");
  set_ports(board, {});
  check_width_error(board, Code::kIncompatible, "config-afi of afi0 has 0 bytes");
  board.write("sys/bus/platform/devices/afi0/of_node/config-afi", std::string(12, '\0'));
  check_width_error(board, Code::kIncompatible, "config-afi of afi0 has 12 bytes");
}

TEST_CASE("Widths that no driver has applied are an error") {
  UioBoard board;
  set_ports(board, {{0, 0}, {1, 0}});
  board.remove("sys/bus/platform/devices/afi0/driver");
  check_width_error(board, Code::kUnavailable, "CONFIG_XILINX_AFI_FPGA");
}

TEST_CASE("nestrt board setup includes the widths, and advice alone does not stop the probe") {
  UioBoard board({.pool_bytes = evta::kRecommendedPoolBytes});
  set_ports(board, {{0, 0}, {1, 0}, {14, 0xa00}}, "afi1");
  const auto is_ports = [](const evta::BoardCheck& check) { return check.what == "port widths"; };
  auto checks = evta::check_uio_board(uio_options(), true);
  const auto advised = std::ranges::find_if(checks, is_ports);
  REQUIRE(advised != checks.end());
  CHECK(advised->status.ok());
  CHECK_THAT(advised->advice, Contains("M_AXI_HPM0_FPD has 128 bits"));
  CHECK(checks.back().status.ok());
  const int accesses = board.num_accesses();
  set_ports(board, {{0, 0}, {1, 1}}, "afi1");
  checks = evta::check_uio_board(uio_options(), true);
  const auto failed = std::ranges::find_if(checks, is_ports);
  CHECK(failed->status.code() == Code::kIncompatible);
  CHECK(checks.back().status.code() == Code::kCancelled);
  CHECK(board.num_accesses() == accesses);
}

}  // namespace
}  // namespace nestrt::boards
