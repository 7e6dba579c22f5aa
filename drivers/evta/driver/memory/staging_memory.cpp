// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/staging_memory.h"

#include <algorithm>

namespace nestrt::evta {

// Programs keep replaced memory. Doubling the size limits the sum of all blocks to twice the last.
Result<std::shared_ptr<DeviceBuffer>> StagingMemory::get(Transport& transport, uint64_t bytes) {
  const MutexLock lock(mutex_);
  std::shared_ptr<DeviceBuffer> memory = memory_.lock();
  const uint64_t had = memory != nullptr ? memory->bytes().size() : 0;
  if (had >= bytes && memory != nullptr) return memory;
  Result<std::shared_ptr<DeviceBuffer>> larger = transport.allocate(std::max(bytes, 2 * had), 0);
  if (!larger && bytes < 2 * had) larger = transport.allocate(bytes, 0);
  if (larger) memory_ = *larger;
  return larger;
}

}  // namespace nestrt::evta
