// SPDX-License-Identifier: Apache-2.0
// One end of a lane (message.h).
//
// Threads: send_to() is safe from any thread; receive_from() from one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <utility>

#include "nestrt/result.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::vendor {

// Returns the two ends of a lane, both close-on-exec. Errors: kUnavailable.
Result<std::pair<FileDescriptor, FileDescriptor>> make_lane();

// Never blocks. Returns false if the other end is closed or its buffer is full. `descriptor` is attached to the message
// unless it is -1.
bool send_to(int socket, std::span<const std::byte> message, int descriptor = -1);

enum class Received : uint8_t {
  kMessage,
  kNothing,  // within the time limit
  kOther,    // a message of another size
  kEnd,      // the other end is closed
};
// Receives a message into all of `message`. `descriptor` receives an attached descriptor; if null, an attached one is
// closed.
Received receive_from(int socket, std::chrono::milliseconds time, std::span<std::byte> message,
                      FileDescriptor* descriptor = nullptr);
inline constexpr std::chrono::milliseconds kForever{-1};

}  // namespace nestrt::vendor
