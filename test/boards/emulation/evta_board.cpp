// SPDX-License-Identifier: Apache-2.0
#include "test/boards/emulation/evta_board.h"

#include <catch2/catch.hpp>

#include "drivers/evta/driver/evta_unit.h"
#include "test/boards/emulation/driver.h"

namespace nestrt::boards {
namespace {

XclbinDescription empty_xclbin(unsigned char id) {
  XclbinDescription description;
  description.shell = kShell;
  description.id = id;
  description.banks = driver_banks();
  return description;
}

}  // namespace

XclbinDescription kernel_xclbin() {
  XclbinDescription description = empty_xclbin(1);
  const int second_bank = description.banks.size() > 1 ? 1 : 0;
  description.kernels = {vta_kernel({"vta_1", "vta_2"}, {{0}, {second_bank}})};
  return description;
}

XclbinDescription stages_xclbin() {
  XclbinDescription description = empty_xclbin(2);
  description.kernels = vta_stages();
  return description;
}

XclbinDescription user_managed_xclbin() {
  XclbinDescription description = empty_xclbin(3);
  const int last_bank = static_cast<int>(description.banks.size()) - 1;
  description.kernels = {user_managed_vta({"vta_1", "vta_2"}, {{0}, {last_bank}})};
  return description;
}

evta::XrtOptions options_for(const XclbinDescription& description) {
  evta::XrtOptions options;
  options.xclbin = Board::instance().root() / (std::to_string(description.id) + ".xclbin");
  options.board = evta::find_xrt_board(kBoard);
  write_xclbin(description, options.xclbin);
  return options;
}

std::shared_ptr<Unit> open_unit(const evta::XrtOptions& options, const evta::Configuration& configuration,
                                int instance) {
  evta::XrtOptions with_configuration = options;
  with_configuration.configuration = &configuration;
  auto transport = evta::make_xrt_transport(with_configuration);
  if (!transport) FAIL(transport.error().to_string());
  auto unit = evta::open_evta_unit({&configuration, instance}, std::move(*transport));
  if (!unit) FAIL(unit.error().to_string());
  return *unit;
}

}  // namespace nestrt::boards
