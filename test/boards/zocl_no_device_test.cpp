// SPDX-License-Identifier: Apache-2.0
// Tests a board without zocl.
#include <catch2/catch.hpp>

#include "drivers/evta/xrt/xrt_transport.h"
#include "test/boards/emulation/evta_board.h"

namespace nestrt::boards {
namespace {

TEST_CASE("The error for a board without zocl names the module to load") {
  const std::filesystem::path nodes = Board::instance().root() / "dev/dri", away = Board::instance().root() / "away";
  const evta::XrtOptions options = options_for(kernel_xclbin());
  std::filesystem::rename(nodes, away);
  const auto devices = evta::xrt_devices();
  const auto transport = evta::make_xrt_transport(options);
  std::filesystem::rename(away, nodes);
  REQUIRE_FALSE(devices);
  CHECK(devices.error().code() == Code::kUnavailable);
  CHECK(devices.error().message().find("zyxclmm_drm") != std::string_view::npos);
  REQUIRE_FALSE(transport);
  CHECK(transport.error().code() == Code::kUnavailable);
}

}  // namespace
}  // namespace nestrt::boards
