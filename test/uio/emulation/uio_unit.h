// SPDX-License-Identifier: Apache-2.0
// Opens EVTA on the emulated board without XRT, for tests.
#pragma once

#include <memory>

#include "drivers/evta/uio/uio_transport.h"
#include "nestrt/driver/unit.h"
#include "test/uio/emulation/uio_board.h"

namespace nestrt::boards {

// Returns options for the current board, with the ZCU102's configuration.
evta::UioOptions uio_options(int instance = 0);

// Fail the test if the unit does not open.
std::unique_ptr<evta::Transport> open_uio_transport(const evta::UioOptions& options = uio_options());
std::shared_ptr<Unit> open_uio_unit(const evta::UioOptions& options = uio_options());

}  // namespace nestrt::boards
