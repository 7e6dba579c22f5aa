// EVTA on the board of this architecture, opened through XRT, for tests.
#pragma once

#include "drivers/evta/xrt/xrt_transport.h"
#include "nestrt/driver/unit.h"
#include "test/boards/emulation/board.h"
#include "test/boards/emulation/xclbin_writer.h"

namespace nestrt::boards {

// Made for the board: one kernel vta with two compute units, in a bank each.
XclbinDescription kernel_xclbin();
// Made for the board: VTA's four stages.
XclbinDescription stages_xclbin();

// For the board, with an xclbin that is written below the board's root.
evta::XrtOptions options_for(const XclbinDescription& description);

// Fails the test where it does not open.
std::shared_ptr<Unit> open_unit(const evta::XrtOptions& options, const evta::Configuration& configuration,
                                int instance = 0);

}  // namespace nestrt::boards
