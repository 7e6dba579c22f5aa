// SPDX-License-Identifier: Apache-2.0
// BoardTransport: the part of a transport to a board that does not depend on how registers and memory are accessed. It
// starts runs, waits for their end, and keeps resources that a run may still use.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/evta/board/completion_poller.h"
#include "drivers/evta/board/compute_unit.h"
#include "drivers/evta/board/device_lock.h"
#include "drivers/evta/driver/transport.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::evta {

// Line size of the caches of Cortex-A53 and related cores.
inline constexpr uint64_t kCacheLineBytes = 64;

class BoardTransport : public Transport {
 public:
  ~BoardTransport() override;

  Result<std::shared_ptr<DeviceProgram>> load(const Program& program,
                                              std::vector<std::shared_ptr<DeviceBuffer>> memory) override;
  Status start(std::shared_ptr<DeviceProgram> program) override;
  Status wait(Deadline deadline) override;
  void interrupt() override;
  Status reset() override;
  std::vector<DeviceRegister> registers() override { return unit_->registers(); }

 protected:
  // `lock`: ownership of the accelerator, kept as long as a run may continue. `recovery`: how to recover an accelerator
  // that no longer responds.
  BoardTransport(std::shared_ptr<ComputeUnit> unit, DeviceLock lock, std::string_view recovery)
      : unit_(std::move(unit)), lock_(std::make_shared<DeviceLock>(std::move(lock))), recovery_(recovery) {}
  // Prepares for waiting. Call once, before the first run. Errors: kUnavailable.
  Status prepare();
  // Allocates memory for instructions, which is never treated as coherent. Errors: kOutOfMemory.
  virtual Result<std::shared_ptr<DeviceBuffer>> allocate_instructions(uint64_t size) = 0;

 private:
  struct BoardProgram final : DeviceProgram {
    std::shared_ptr<DeviceBuffer> instructions;
    uint32_t count = 0;
    std::vector<std::shared_ptr<DeviceBuffer>> memory;
    CompletionPoller poller;
  };

  void forget_ended_run();
  bool pause_until(Deadline deadline);
  Status advised(const Status& status) const;

  std::shared_ptr<ComputeUnit> unit_;
  std::shared_ptr<DeviceLock> lock_;
  const std::string recovery_;
  std::shared_ptr<BoardProgram> running_;  // until it is known to have ended
  SteadyClock::time_point started_;        // start of running_
  FileDescriptor interruption_;            // an eventfd, set by interrupt()
};

}  // namespace nestrt::evta
