// SPDX-License-Identifier: Apache-2.0
// StagingMemory: accelerator memory for data that programs cannot access in host memory. All programs share it, because
// only one runs at a time. Its contents are not preserved between runs.
#pragma once

#include <memory>

#include "drivers/evta/driver/transport.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::evta {

class StagingMemory {
 public:
  // Returns at least `bytes` bytes, aligned to a page. Dropping the last reference releases them. Safe from any thread.
  // Errors: kOutOfMemory.
  Result<std::shared_ptr<DeviceBuffer>> get(Transport& transport, uint64_t bytes);

 private:
  Mutex mutex_;
  std::weak_ptr<DeviceBuffer> memory_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt::evta
