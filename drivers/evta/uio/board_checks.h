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
// `accesses_registers`, and if all of these checks passed: reads the registers in a child process, because a fault
// would end this one; then waits for a previous program, and runs a probe program. Skips the checks after a failed one
// with kCancelled. Requires a process with one thread.
std::vector<BoardCheck> check_uio_board(const UioOptions& options, bool accesses_registers);

}  // namespace nestrt::evta
