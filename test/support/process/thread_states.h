// SPDX-License-Identifier: Apache-2.0
// Queries the kernel for the states of this process's threads.
#pragma once

#include <string_view>

namespace nestrt::test {

// Returns whether `count` threads whose names begin with `name` all fall asleep within a short time, that is, without
// polling.
bool fall_asleep(std::string_view name, int count);

// Returns whether all threads except the caller fall asleep within a short time: they have started and wait.
bool others_fall_asleep();

}  // namespace nestrt::test
