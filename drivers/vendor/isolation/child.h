// Child: a process that has one device of a plug-in, and answers for it (message.h). Another program is started for it:
// nothing of this process is in it but what it is given. It has no terminal's signals, and when this process ends, it
// does.
//
// Threads: one request at a time on each lane; cancel() and end() from any.
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
  // Ends it, unless it has ended; not in a child made by fork(), whose it is not.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Errors of both are kDeviceFault, without the plug-in's name: the process has ended, or was, as it takes nothing or
  // what it said was no reply.
  // The request gets its number here.
  Status send(Lane lane, Request* request, int descriptor = -1);
  // The reply to the request that was sent last, or nothing until then.
  Result<std::optional<Reply>> receive(Lane lane, Deadline until);
  // Nothing happens where that run is not under way.
  void cancel(uint64_t run);

  // Lets it close its device and end, which takes so long at most.
  void close(std::chrono::milliseconds patience);
  // Ends it with all that it has started, unless it has ended. What it was asked ends without a reply.
  void end();
  bool has_ended() const { return has_ended_.load(); }
  // "its process was ended by signal 11 (Segmentation fault)". Requires: has_ended().
  std::string how_it_ended() const;

 private:
  Child() = default;
  bool is_running() const;
  Status ended();

  const ForkOrigin origin_;
  std::array<FileDescriptor, kNumLanes> lanes_;
  std::array<uint64_t, kNumLanes> last_numbers_{};  // of requests; 0: the reply without one
  pid_t process_ = 0;
  mutable Mutex mutex_;
  std::optional<int> state_ NESTRT_GUARDED_BY(mutex_);  // as wait(2) has it; none: somebody else has got it
  std::atomic<bool> has_ended_{false};
};

}  // namespace nestrt::vendor
