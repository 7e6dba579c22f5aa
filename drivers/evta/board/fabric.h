// SPDX-License-Identifier: Apache-2.0
// Queries Linux about the board and its FPGA fabric.
#pragma once

#include <string>

#include "drivers/evta/board/system_files.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Returns the board's name in the device tree, or an empty string.
std::string board_model(const SystemFiles& system);

// The processor system of the board, as the device tree names it.
enum class Processor : uint8_t { kUnknown, kZynq7000, kZynqUltraScale };
Processor processor_of(const SystemFiles& system);

// Checks that the FPGA manager reports a design in the fabric, because reading registers that do not exist can hang the
// board. Errors: kUnavailable.
Status check_fabric(const SystemFiles& system);

}  // namespace nestrt::evta
