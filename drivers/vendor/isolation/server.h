// SPDX-License-Identifier: Apache-2.0
// Server: runs a plug-in in a separate process. It opens one device and answers requests (message.h). The requester is
// trusted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "drivers/vendor/isolation/message.h"
#include "drivers/vendor/isolation/shared_memory.h"
#include "drivers/vendor/plugin_device.h"
#include "drivers/vendor/staged_program.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::vendor {

class Server {
 public:
  explicit Server(std::array<int, kNumLanes> lanes) : lanes_(lanes) {}

  // Serves until the device is closed or cannot be opened. Exits the process immediately if the requester is gone.
  void serve(const std::string& plugin, uint32_t instance, const std::vector<PluginOption>& options);
  // Reports to the requester that the server cannot start.
  void refuse(const Status& why) { reply(Lane::kLoad, 0, why); }

 private:
  struct Program {
    Mapping part;
    std::unique_ptr<StagedProgram> staged;
    size_t num_ports = 0;
  };

  void serve_loads();
  void serve_runs();
  void serve_cancels();
  Status load_something(const Request& request, const FileDescriptor& descriptor);
  Status share(const Request& request, const FileDescriptor& memory);
  Status load(const Request& request, const FileDescriptor& part);
  Status run(const Request& request);
  void set_running(uint64_t run);  // 0 if idle
  Request next(Lane lane, FileDescriptor* descriptor = nullptr);
  void reply(Lane lane, uint64_t number, const Status& status);

  const std::array<int, kNumLanes> lanes_;
  std::shared_ptr<PluginDevice> device_;

  Mutex mutex_;
  std::map<uint64_t, Mapping> memory_ NESTRT_GUARDED_BY(mutex_);
  std::map<uint64_t, Program> programs_ NESTRT_GUARDED_BY(mutex_);
  uint64_t running_ NESTRT_GUARDED_BY(mutex_) = 0;
  uint64_t cancelled_ NESTRT_GUARDED_BY(mutex_) = 0;  // the last cancelled run, which may not have started yet
  std::atomic<bool> stop_{false};
};

}  // namespace nestrt::vendor
