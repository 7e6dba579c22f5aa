// SPDX-License-Identifier: Apache-2.0
// Checks the widths of the ports between processor and fabric. They are not part of a bitstream: the boot image sets
// them, or a driver that applies the property config-afi of the device tree. Reads only sysfs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "drivers/evta/board/system_files.h"
#include "nestrt/result.h"

namespace nestrt::evta {

struct PortWidths {
  std::string found;   // each port that the device tree sets, and its width
  std::string advice;  // ports with widths other than those of VTA's design, and the remedy; may be empty
};

// `registers`: the physical address of the accelerator's registers, if known; it selects the port whose width must be
// the registers'. Errors: kIncompatible (a width that does not exist, reads and writes of different widths),
// kUnavailable (no driver has applied the widths).
Result<PortWidths> check_port_widths(const SystemFiles& system, std::optional<uint64_t> registers);

}  // namespace nestrt::evta
