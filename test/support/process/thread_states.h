// SPDX-License-Identifier: Apache-2.0
// Queries the kernel for the states of this process's threads.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace nestrt::test {

// Returns whether `count` threads whose names begin with `name` all fall asleep within a short time, that is, without
// polling.
bool fall_asleep(std::string_view name, int count);

// Returns whether all threads except the caller fall asleep within a short time: they have started and wait.
bool others_fall_asleep();

// Calls fork() when all other threads sleep, because a child cannot unlock what a running thread has locked, such as
// the allocator of a sanitizer. A child that has not ended after `max_child_seconds` is killed by SIGALRM.
pid_t fork_when_others_sleep(unsigned max_child_seconds = 120);

}  // namespace nestrt::test
