// IsolatedDevice: one device of a plug-in in a process of its own, which may crash or hang there. What it reads and
// writes are copies: nothing of the session lies in memory that it reaches, and what its process says is checked like
// what a plug-in says.
//
// A process that has ended, or that had to be, is started again by whoever needs it next: load() and self_test(), but
// no run. Programs and lent memory are then what they were.
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
#include "nestrt/driver/mutex.h"

namespace nestrt::vendor {

struct Isolation {
  std::string program;  // the file of nestrt-plugin; empty: beside the components (drivers/component.h)
  // How long the process may take for what has no deadline; and to come back when it should stop, which is more than
  // a plug-in gets there.
  std::chrono::milliseconds call_limit{30000}, patience{2000};
  // It is not started more often without a run that has ended well in between.
  int most_starts = 16;
  // Nor where it had to be ended so often because it did not come back: each time somebody has waited for call_limit.
  int most_hangs = 2;
};

class IsolatedDevice final : public Device, public std::enable_shared_from_this<IsolatedDevice> {
 public:
  // `plugin`: its file, as load_plugin() has it. Errors: those of load_plugin() and PluginDevice::open();
  // kUnavailable where no process can be started.
  static Result<std::shared_ptr<IsolatedDevice>> open(const std::string& plugin, uint32_t instance,
                                                      Isolation isolation = {});
  ~IsolatedDevice() override;

  Result<std::unique_ptr<LoadedProgram>> load(std::span<const std::byte> blob, std::span<const uint64_t> input_bytes,
                                              std::span<const uint64_t> output_bytes) override;
  bool lends() const override { return true; }
  bool lends_to_sessions() const override { return false; }
  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) override;
  bool reaches(const std::byte* bytes, uint64_t size) const override;
  void interrupt() override;
  Status self_test() override;

 private:
  class Block;
  class Program;
  struct Source {  // of a program
    FileDescriptor blob;
    Request request;
  };
  struct Shared {
    FileDescriptor descriptor;
    Mapping mapping;
  };

  IsolatedDevice(const std::string& plugin, uint32_t instance, Isolation isolation);

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
  Mutex loading_;  // of the lane of that name, and who starts the process
  std::map<uint64_t, Source> programs_ NESTRT_GUARDED_BY(loading_);
  uint64_t last_id_ NESTRT_GUARDED_BY(loading_) = 0;
  std::atomic<int> starts_{0}, hangs_{0};  // since a run ended well

  mutable Mutex mutex_;
  std::shared_ptr<Child> child_ NESTRT_GUARDED_BY(mutex_);
  std::map<uint64_t, std::shared_ptr<const Shared>> shared_ NESTRT_GUARDED_BY(mutex_);
  std::atomic<uint64_t> under_way_{0};  // the run; 0: none
};

}  // namespace nestrt::vendor
