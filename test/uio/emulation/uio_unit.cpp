// SPDX-License-Identifier: Apache-2.0
#include "test/uio/emulation/uio_unit.h"

#include <catch2/catch.hpp>

#include "drivers/evta/driver/evta_unit.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::boards {

evta::UioOptions uio_options(int instance) {
  evta::UioOptions options;
  options.instance = instance;
  options.configuration = &evta::test::stock_configuration();
  return options;
}

std::unique_ptr<evta::Transport> open_uio_transport(const evta::UioOptions& options) {
  auto transport = evta::make_uio_transport(options);
  if (!transport) FAIL(transport.error().to_string());
  return std::move(*transport);
}

std::shared_ptr<Unit> open_uio_unit(const evta::UioOptions& options) {
  auto unit = evta::open_evta_unit({options.configuration, options.instance}, open_uio_transport(options));
  if (!unit) FAIL(unit.error().to_string());
  return *unit;
}

}  // namespace nestrt::boards
