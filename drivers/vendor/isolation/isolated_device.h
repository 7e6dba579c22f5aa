// SPDX-License-Identifier: Apache-2.0
// IsolatedDevice: one device of a plug-in in a separate process, which may crash or hang. The process works on copies:
// no memory of the session is shared with it. Replies are checked in the same way as results of a plug-in.
//
// If the process has ended or was killed, the next load() or self_test() restarts it, but a run does not. Programs and
// shared memory are then restored.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "drivers/vendor/device.h"
#include "drivers/vendor/isolation/child.h"
#include "drivers/vendor/isolation/message.h"
#include "drivers/vendor/isolation/shared_memory.h"
#include "drivers/vendor/plugin_options.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::vendor {

struct Isolation {
  std::string program;  // path of nestrt-plugin; if empty, it is in the folder of the components (drivers/component.h)
  // Time limit for calls without a deadline, and for the return of a run that should stop. The latter is longer than
  // the limit for the plug-in within the process.
  std::chrono::milliseconds call_limit{30000}, stop_limit{2000};
  // Maximum number of restarts without a successful run in between.
  int max_starts = 16;
  // Maximum number of kills because of a hang. Each of them costs a caller call_limit.
  int max_hangs = 2;
};

class IsolatedDevice final : public Device, public std::enable_shared_from_this<IsolatedDevice> {
 public:
  // `plugin`: its file, see load_plugin(). Errors: as for load_plugin() and PluginDevice::open(); kUnavailable if no
  // process can be started.
  static Result<std::shared_ptr<IsolatedDevice>> open(const std::string& plugin, uint32_t instance,
                                                      Isolation isolation = {},
                                                      const std::vector<PluginOption>& options = {});
  ~IsolatedDevice() override;

  Result<std::unique_ptr<LoadedProgram>> load(const Part& part) override;
  bool needs_shared_memory() const override { return true; }
  bool shares_memory_with_sessions() const override { return false; }
  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) override;
  bool reaches(const std::byte* bytes, uint64_t size) const override;
  void interrupt() override;
  Status self_test() override;

 private:
  class Block;
  class Program;
  struct Source {  // source of a program
    FileDescriptor part;
    Request request;
  };
  struct Shared {
    FileDescriptor descriptor;
    Mapping mapping;
  };

  IsolatedDevice(const std::string& plugin, uint32_t instance, Isolation isolation,
                 const std::vector<PluginOption>& options);

  Status start() NESTRT_REQUIRES(loading_);
  Status start_if_needed() NESTRT_REQUIRES(loading_);
  Result<Description> open_child(Child& child);
  Status bring_all(Child& child) NESTRT_REQUIRES(loading_);
  Status ask(Child& child, Lane lane, Request* request, int descriptor = -1);
  Result<Reply> await_reply(Child& child, Lane lane, std::string_view what);
  Status share(Child& child, uint64_t id, const Shared& shared);
  Status load(Child& child, uint64_t id, const Source& source);
  void forget(Call call, uint64_t id) NESTRT_REQUIRES(loading_);

  Status run(uint64_t program, std::span<void* const> ports, Deadline deadline, const std::atomic<bool>& stop);
  Status await_run(Child& child, uint64_t run, Deadline deadline, const std::atomic<bool>& stop);
  Status outcome(const Reply& reply, Deadline deadline, bool is_stopped) const;
  bool locate(const void* address, Request::Port* place) const;
  Status failure(std::string_view what) const;
  Status status_of(const Reply& reply) const;
  std::shared_ptr<Child> child() const;

  const Isolation isolation_;
  const std::vector<std::string> command_;
  Mutex loading_;  // for the load lane and for starting the process
  std::map<uint64_t, Source> programs_ NESTRT_GUARDED_BY(loading_);
  uint64_t last_id_ NESTRT_GUARDED_BY(loading_) = 0;
  std::atomic<int> starts_{0}, hangs_{0};  // since the last successful run

  mutable Mutex mutex_;
  std::shared_ptr<Child> child_ NESTRT_GUARDED_BY(mutex_);
  std::map<uint64_t, std::shared_ptr<const Shared>> shared_ NESTRT_GUARDED_BY(mutex_);
  std::atomic<uint64_t> under_way_{0};  // number of the active run; 0 if idle
};

}  // namespace nestrt::vendor
