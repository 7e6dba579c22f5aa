// SPDX-License-Identifier: Apache-2.0
// Child: a process with one device of a plug-in that answers requests (message.h). It runs a separate program, which
// receives nothing from this process except its arguments. It does not receive the terminal's signals, and it ends when
// this process ends.
//
// Threads: one request at a time per lane; cancel() and end() are safe from any thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/vendor/isolation/message.h"
#include "nestrt/driver/event.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/result.h"
#include "runtime/platform/file_descriptor.h"
#include "runtime/platform/fork_origin.h"

namespace nestrt::vendor {

class Child {
 public:
  // `command`: the program's file and its arguments. Errors: kUnavailable.
  static Result<std::shared_ptr<Child>> start(const std::vector<std::string>& command);
  // Kills the process unless it has ended. Does nothing in a child made by fork(), which does not own it.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Sends a request and assigns its number. Errors of send() and receive(): kDeviceFault, without the plug-in's name:
  // the process has ended, or was killed because it accepted no request or sent an invalid reply.
  Status send(Lane lane, Request* request, int descriptor = -1);
  // Returns the reply to the last request, or nullopt if it does not arrive in time.
  Result<std::optional<Reply>> receive(Lane lane, Deadline until);
  // Asks the process to cancel the run. Does nothing if the run is not active.
  void cancel(uint64_t run);

  // Lets the process close its device and exit, within the time limit.
  void close(std::chrono::milliseconds limit);
  // Kills the process and its children unless it has ended. Pending requests get no reply.
  void end();
  bool has_ended() const { return has_ended_.load(); }
  // Returns how the process ended, such as "its process was terminated by signal 11 (Segmentation fault)". Requires
  // has_ended().
  std::string how_it_ended() const;

 private:
  Child() = default;
  bool is_running() const;
  Status ended();

  const ForkOrigin origin_;
  std::array<FileDescriptor, kNumLanes> lanes_;
  std::array<uint64_t, kNumLanes> last_numbers_{};  // numbers of requests; 0 for the unsolicited reply
  pid_t process_ = 0;
  mutable Mutex mutex_;
  std::optional<int> state_ NESTRT_GUARDED_BY(mutex_);  // as in wait(2); not set if other code has waited for it
  std::atomic<bool> has_ended_{false};
};

}  // namespace nestrt::vendor
