// SPDX-License-Identifier: Apache-2.0
// Tests how XRT enumerates cards. It does so once, on first use, so a machine without cards needs a separate process.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "drivers/evta/xrt/xrt_transport.h"
#include "test/boards/emulation/evta_board.h"

namespace nestrt::boards {
namespace {

TEST_CASE("Inner: no card is listed without a card", "[.]") {
  std::filesystem::remove_all(Board::instance().root() / "sys");
  const auto devices = evta::xrt_devices();
  REQUIRE(devices);
  CHECK(devices->empty());
  const auto transport = evta::make_xrt_transport(options_for(kernel_xclbin()));
  REQUIRE_FALSE(transport);
  CHECK(transport.error().code() == Code::kUnavailable);
  CHECK(transport.error().message().find("XRT does not find a device") != std::string_view::npos);
}

TEST_CASE("A machine without a card has no devices, and the opening error names where to look") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  CHECK(std::system(("'" + self + "' 'Inner: no card is listed without a card' > /dev/null").c_str()) == 0);
}

TEST_CASE("A card is found by its PCIe address") {
  evta::XrtOptions options = options_for(kernel_xclbin());
  Board::instance().faults().forget();
  options.device = "0000:65:00.1";
  CHECK(evta::make_xrt_transport(options));
  options.device = "0000:66:00.1";
  CHECK_FALSE(evta::make_xrt_transport(options));
}

}  // namespace
}  // namespace nestrt::boards
