// SPDX-License-Identifier: Apache-2.0
// EVTA on this architecture's board, opened through XRT, for tests.
#pragma once

#include "drivers/evta/xrt/xrt_transport.h"
#include "nestrt/driver/unit.h"
#include "test/boards/emulation/board.h"
#include "test/boards/xclbin/xclbin_writer.h"

namespace nestrt::boards {

// Returns an xclbin for the board: one kernel vta with two compute units, each in a separate bank.
XclbinDescription kernel_xclbin();
// Returns an xclbin for the board with VTA's four stages.
XclbinDescription stages_xclbin();
// Returns an xclbin for the board with two accelerators as user-managed kernels, the second one in the last bank.
XclbinDescription user_managed_xclbin();

// Returns options for the board, with an xclbin file below the board's root.
evta::XrtOptions options_for(const XclbinDescription& description);

// Fails the test if the unit does not open.
std::shared_ptr<Unit> open_unit(const evta::XrtOptions& options, const evta::Configuration& configuration,
                                int instance = 0);

}  // namespace nestrt::boards
