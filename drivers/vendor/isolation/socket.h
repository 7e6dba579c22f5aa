// One end of a lane (message.h).
//
// Threads: send_to() from any; receive_from() from one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <utility>

#include "nestrt/result.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::vendor {

// Two ends of a lane, both closed where another program is started. Errors: kUnavailable.
Result<std::pair<FileDescriptor, FileDescriptor>> make_lane();

// Never waits: false where it cannot be sent, because the other end is gone or takes nothing. `descriptor`: goes with
// the message; -1: none.
bool send_to(int socket, std::span<const std::byte> message, int descriptor = -1);

enum class Received : uint8_t {
  kMessage,
  kNothing,  // in that time
  kOther,    // a message of another size
  kEnd,      // the other end is gone
};
// Into all of `message`. `descriptor`: what came with it; null: whatever comes is closed.
Received receive_from(int socket, std::chrono::milliseconds time, std::span<std::byte> message,
                      FileDescriptor* descriptor = nullptr);
inline constexpr std::chrono::milliseconds kForever{-1};

}  // namespace nestrt::vendor
