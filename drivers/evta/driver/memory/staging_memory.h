// StagingMemory: memory of an accelerator for what its programs cannot find where the host has it. All programs share
// it, as one runs at a time: it holds nothing from one run to the next.
#pragma once

#include <memory>

#include "drivers/evta/driver/transport.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::evta {

class StagingMemory {
 public:
  // At least so many bytes, from the beginning of a page on. Stays as long as somebody has it. From any thread. Errors:
  // kOutOfMemory.
  Result<std::shared_ptr<DeviceBuffer>> get(Transport& transport, uint64_t bytes);

 private:
  Mutex mutex_;
  std::weak_ptr<DeviceBuffer> memory_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt::evta
