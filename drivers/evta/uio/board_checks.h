// SPDX-License-Identifier: Apache-2.0
// Checks the set-up of a board step by step, for `nestrt board`.
#pragma once

#include <vector>

#include "drivers/evta/driver/component.h"
#include "drivers/evta/uio/uio_transport.h"

namespace nestrt::evta {

// Smaller pools hold small networks only.
inline constexpr uint64_t kRecommendedPoolBytes = uint64_t{64} << 20;

// Checks drivers, addresses, rights, the clock and the fabric by reading sysfs; no register is accessed. With
// `accesses_registers`, and if all of these passed: reads the registers in a child process, which a fault does not
// survive, then waits for a previous program, and runs a probe program. The checks after a failed one are skipped with
// kCancelled. Requires a process with one thread.
std::vector<BoardCheck> check_uio_board(const UioOptions& options, bool accesses_registers);

}  // namespace nestrt::evta
