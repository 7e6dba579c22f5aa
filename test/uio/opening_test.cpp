// SPDX-License-Identifier: Apache-2.0
// Tests that every fault in the set-up of a board without XRT is found before a register is accessed, and reported as a
// Status with the remedy.
#include <catch2/catch.hpp>

#include "test/uio/emulation/uio_unit.h"

namespace nestrt::boards {
namespace {

void check_refused(const UioBoard& board, const evta::UioOptions& options, Code code, std::string_view words) {
  const auto transport = evta::make_uio_transport(options);
  REQUIRE_FALSE(transport);
  CAPTURE(transport.error().to_string());
  CHECK(transport.error().code() == code);
  CHECK(transport.error().message().find(words) != std::string_view::npos);
  CHECK(board.num_accesses() == 0);
}

TEST_CASE("Without the UIO driver, an error names the module to load") {
  UioBoard board;
  board.remove("sys/class/uio");
  check_refused(board, uio_options(), Code::kUnavailable, "modprobe uio_pdrv_genirq");
}

TEST_CASE("Without a UIO device of the accelerator, an error lists those that exist") {
  UioBoard board;
  board.remove("sys/class/uio/uio0");
  check_refused(board, uio_options(), Code::kUnavailable, "uio9 (axi-pmon, 0x10000 bytes at 0xffa00000)");
}

TEST_CASE("An instance or device that does not exist is reported") {
  const UioBoard board;
  check_refused(board, uio_options(1), Code::kUnavailable, "instance 1");
  evta::UioOptions options = uio_options();
  options.device = "uio9";
  check_refused(board, options, Code::kUnavailable, "uio9");
  options.device = "uio0@udmabuf7";
  check_refused(board, options, Code::kUnavailable, "'udmabuf7' of u-dma-buf (present: udmabuf0)");
}

TEST_CASE("A fabric without a design is reported") {
  UioBoard board({.fabric = "unknown"});
  check_refused(board, uio_options(), Code::kUnavailable, "holds no design (FPGA manager fpga0: unknown");
  board.write("sys/class/fpga_manager/fpga0/state", "write error\n");
  check_refused(board, uio_options(), Code::kUnavailable, "fpga0: write error");
}

TEST_CASE("Registers outside the fabric's addresses are rejected") {
  for (const uint64_t address : {0x00100000u, 0x7fffd000u, 0xbfffe000u}) {
    const UioBoard board({.registers = address});
    check_refused(board, uio_options(), Code::kIncompatible, "outside the fabric's addresses [0x80000000, 0xc0000000)");
  }
}

TEST_CASE("A device with too few registers is not mistaken for an accelerator") {
  UioBoard board;
  board.write("sys/class/uio/uio0/maps/map0/size", "0x1000\n");
  check_refused(board, uio_options(), Code::kUnavailable, "uio0 (evta, 0x1000 bytes at 0xa0000000)");
  board.write("sys/class/uio/uio0/maps/map0/size", "what\n");
  check_refused(board, uio_options(), Code::kUnavailable, "uio0 (evta, no map)");
}

TEST_CASE("Addresses in /dev/mem must be pages of the fabric of a known processor") {
  UioBoard board;
  evta::UioOptions options = uio_options();
  for (const char* const device : {"mem:", "mem:a0000000", "mem:0xa0000010", "mem:0x1a0000000", "mem:0xa0000000x"}) {
    options.device = device;
    check_refused(board, options, Code::kInvalidArgument, "expected mem:ADDRESS");
  }
  options.device = "mem:0x00100000";
  check_refused(board, options, Code::kIncompatible, "outside the fabric's addresses");
  options.device = "mem:0xa0000000";
  board.write("sys/firmware/devicetree/base/compatible", "linux,dummy-virt");
  check_refused(board, options, Code::kIncompatible, "describe the accelerator to UIO");
}

TEST_CASE("Without a memory pool, an error names the module to load") {
  UioBoard board;
  board.remove("sys/class/u-dma-buf");
  check_refused(board, uio_options(), Code::kUnavailable, "modprobe u-dma-buf");
}

TEST_CASE("A memory pool that the accelerator does not reach is rejected") {
  {
    const UioBoard board({.pool_address = 0x800000000});
    check_refused(board, uio_options(), Code::kIncompatible, "below 0x80000000");
  }
  const UioBoard board({.pool_address = 0x7f800000});  // its end is beyond
  check_refused(board, uio_options(), Code::kIncompatible, "reserve memory below that");
}

TEST_CASE("Missing device files are reported by name") {
  UioBoard board;
  board.remove("dev/uio0");
  check_refused(board, uio_options(), Code::kUnavailable, "/dev/uio0 cannot be accessed: No such file or directory");
  board.write("dev/uio0", "");
  board.remove("dev/udmabuf0");
  const auto transport = evta::make_uio_transport(uio_options());
  REQUIRE_FALSE(transport);
  CHECK(transport.error().message().find("/dev/udmabuf0 cannot be accessed") != std::string_view::npos);
}

}  // namespace
}  // namespace nestrt::boards
