// The plug-in of test/drivers/plugins/crashing.cpp in a process of its own, and what it is told to do wrong.
#pragma once

#include <memory>
#include <string>

#include "drivers/vendor/isolation/isolated_device.h"
#include "nestrt/driver/unit.h"
#include "test/drivers/plugins/orders.h"

namespace nestrt::vendor::test {

inline constexpr char kCrashingPlugin[] = NESTRT_BINARY_DIR "/test/plugins/libcrashing.so";

// Whether a process for a plug-in starts here: what emulates another processor for a test does not for what it starts.
bool isolation_works();
// The same; where it does not, the test case counts as skipped.
bool needs_isolation();

// Of the plug-ins that are started from here on, all of them. Nothing is ordered at first.
Orders& new_orders();

// For what hangs: it is ended so long after it should have stopped, or for what has no deadline, after five times that.
Isolation with_timeout(std::chrono::milliseconds patience);

// Fails the test where it does not open.
std::shared_ptr<Unit> open_crashing_unit(const Isolation& isolation = {});

}  // namespace nestrt::vendor::test
