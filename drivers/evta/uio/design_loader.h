// SPDX-License-Identifier: Apache-2.0
// Loads a design into the fabric, for `nestrt board load`: a bitstream through the FPGA manager, or a device tree
// overlay, which names its bitstream, through configfs.
#pragma once

#include <chrono>
#include <vector>

#include "drivers/evta/board/system_files.h"
#include "drivers/evta/driver/component.h"

namespace nestrt::evta {

struct LoadLimits {
  std::chrono::milliseconds owner{0};     // how long to wait for a process that uses an accelerator
  std::chrono::milliseconds load{10000};  // how long the FPGA manager may take
};

// Replaces the overlay of the same name, if it is applied. Holds the locks of all accelerators and memory pools
// meanwhile. Returns the steps; those after a failed one are skipped. Errors: kInvalidArgument and kNotFound, with the
// remedy, if the files cannot be loaded; nothing was changed then.
Result<std::vector<BoardCheck>> load_design(const SystemFiles& system, const DesignFiles& files,
                                            const LoadLimits& limits = {});

}  // namespace nestrt::evta
