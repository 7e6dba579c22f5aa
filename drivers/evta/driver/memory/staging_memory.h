// SPDX-License-Identifier: Apache-2.0
// StagingMemory: accelerator memory for data that programs cannot access in the host's place. All programs share it,
// because one runs at a time. It keeps nothing between runs.
#pragma once

#include <memory>

#include "drivers/evta/driver/transport.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::evta {

class StagingMemory {
 public:
  // Returns at least `bytes` bytes, aligned to a page. Released with the last reference. Safe from any thread. Errors:
  // kOutOfMemory.
  Result<std::shared_ptr<DeviceBuffer>> get(Transport& transport, uint64_t bytes);

 private:
  Mutex mutex_;
  std::weak_ptr<DeviceBuffer> memory_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt::evta
