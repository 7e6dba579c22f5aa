// SPDX-License-Identifier: Apache-2.0
// The plug-in of test/drivers/plugins/crashing.cpp in a separate process, and its orders.
#pragma once

#include <memory>
#include <string>

#include "drivers/vendor/isolation/isolated_device.h"
#include "nestrt/driver/unit.h"
#include "test/drivers/plugins/orders.h"

namespace nestrt::vendor::test {

inline constexpr char kCrashingPlugin[] = NESTRT_BINARY_DIR "/test/plugins/libcrashing.so";

// Returns whether this machine can start a plug-in process. Emulators of other processors do not emulate child
// processes.
bool isolation_works();
// Like isolation_works(), but skips the test case if it returns false.
bool needs_isolation();

// Returns the orders for all plug-ins started from now on; initially empty.
Orders& new_orders();

// Returns time limits. A process is killed if it still runs `limit` after it should have stopped, or if a call without
// a deadline takes five times as long.
Isolation with_timeout(std::chrono::milliseconds limit);

// Fails the test if the unit cannot be opened.
std::shared_ptr<Unit> open_crashing_unit(const Isolation& isolation = {});

}  // namespace nestrt::vendor::test
