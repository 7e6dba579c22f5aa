// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/shared_constants.h"

#include <algorithm>

namespace nestrt::evta {

Result<std::shared_ptr<DeviceBuffer>> upload(Transport& transport, std::span<const std::byte> bytes, uint64_t offset) {
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<DeviceBuffer> buffer, transport.allocate(bytes.size(), offset));
  std::copy(bytes.begin(), bytes.end(), buffer->bytes().begin());
  NESTRT_RETURN_IF_ERROR(buffer->to_device(0, bytes.size()));
  return buffer;
}

// Holds the lock during the upload: if sessions of one plan are created concurrently, they wait instead of creating
// copies.
Result<std::shared_ptr<DeviceBuffer>> SharedConstants::get(Transport& transport,
                                                           const std::shared_ptr<const Plan>& plan,
                                                           std::span<const std::byte> bytes, uint64_t offset) {
  const MutexLock lock(mutex_);
  const Key key{plan, {bytes.data(), bytes.size(), offset}};
  if (const auto found = buffers_.find(key); found != buffers_.end())
    if (std::shared_ptr<DeviceBuffer> buffer = found->second.lock()) return buffer;
  if (buffers_.size() >= most_) forget_expired();
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<DeviceBuffer> buffer, upload(transport, bytes, offset));
  buffers_[key] = buffer;
  return buffer;
}

void SharedConstants::forget_expired() {
  std::erase_if(buffers_, [](const auto& entry) { return entry.second.expired(); });
  most_ = std::max(kFew, 2 * buffers_.size());
}

}  // namespace nestrt::evta
