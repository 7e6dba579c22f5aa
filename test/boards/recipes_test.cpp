// SPDX-License-Identifier: Apache-2.0
// Tests the files of boards/recipes with XRT on the emulated board.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "test/boards/emulation/driver.h"
#include "test/boards/emulation/evta_board.h"
#include "test/boards/emulation/probe_run.h"
#include "test/boards/xclbin/recipe.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::boards {
namespace {

const std::filesystem::path kRecipes = std::filesystem::path(NESTRT_SOURCE_DIR) / "boards/recipes";

std::vector<std::byte> recipe_xclbin() { return make_recipe_xclbin(kRecipes / "zcu102", std::string(kShell), 40); }

evta::XrtOptions options_for_bytes(const std::vector<std::byte>& bytes) {
  evta::XrtOptions options;
  options.xclbin = Board::instance().root() / "recipe.xclbin";
  options.board = evta::find_xrt_board(kBoard);
  std::ofstream(options.xclbin, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return options;
}

void check_probe(const evta::XrtOptions& options) {
  Board& board = Board::instance();
  board.faults().forget();
  board.reset_card();
  board.set_configuration(evta::test::stock_configuration());
  auto transport = evta::make_xrt_transport(options);
  if (!transport) FAIL(transport.error().to_string());
  ProbeRun probe(std::move(*transport));
  CHECK(probe.run().ok());
  CHECK(probe.is_right());
}

TEST_CASE("The ZCU102 recipe's xclbin is opened by XRT and its stages run a program") {
  check_probe(options_for_bytes(recipe_xclbin()));
}

// NESTRT_RECIPE_XCLBIN: path of the xclbin, set by script/dev/check-xrt.
TEST_CASE("An xclbin from xclbinutil contains the recipe's sections and is opened by XRT", "[.given]") {
  const char* const path = std::getenv("NESTRT_RECIPE_XCLBIN");
  REQUIRE(path != nullptr);
  std::vector<std::byte> given = read_bytes(path);
  const std::vector<std::byte> own = recipe_xclbin();
  for (const axlf_section_kind kind : {MEM_TOPOLOGY, IP_LAYOUT, EMBEDDED_METADATA}) {
    CAPTURE(kind);
    REQUIRE_FALSE(find_section(given, kind).empty());
    CHECK(std::ranges::equal(find_section(given, kind), find_section(own, kind)));
  }
  set_platform(given, std::string(kShell));
  check_probe(options_for_bytes(given));
}

TEST_CASE("A kernel with the registers of the U280 recipe runs a program") {
  XclbinDescription description = user_managed_xclbin();
  description.id = 41;
  description.kernels[0].arguments = read_kernel_arguments(kRecipes / "u280/kernel.xml");
  check_probe(options_for(description));
}

}  // namespace
}  // namespace nestrt::boards
