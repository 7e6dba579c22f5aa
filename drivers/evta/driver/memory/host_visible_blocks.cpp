// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/host_visible_blocks.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

namespace nestrt::evta {

class HostVisibleBlocks::Block final : public HostVisibleMemory {
 public:
  Block(std::shared_ptr<DeviceBuffer> memory, std::shared_ptr<const std::atomic<bool>> is_safe)
      : memory_(std::move(memory)), is_safe_(std::move(is_safe)) {}

  std::span<std::byte> bytes() const override { return memory_->bytes(); }
  bool is_safe() const override { return is_safe_->load(); }

  std::optional<Place> find(const std::byte* bytes, uint64_t size) const {
    const std::byte* const begin = memory_->bytes().data();
    const uint64_t all = memory_->bytes().size();
    const std::less<const std::byte*> before;
    if (before(bytes, begin) || !before(bytes, begin + all)) return std::nullopt;
    const auto offset = static_cast<uint64_t>(bytes - begin);
    return size <= all - offset ? std::optional(Place{memory_, offset}) : std::nullopt;
  }

 private:
  const std::shared_ptr<DeviceBuffer> memory_;
  const std::shared_ptr<const std::atomic<bool>> is_safe_;
};

std::shared_ptr<HostVisibleBlocks> HostVisibleBlocks::of(const std::string& memory_name) {
  if (memory_name.empty()) return std::make_shared<HostVisibleBlocks>();
  static Mutex mutex;
  static std::map<std::string, std::weak_ptr<HostVisibleBlocks>> by_name NESTRT_GUARDED_BY(mutex);
  const MutexLock lock(mutex);
  std::erase_if(by_name, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<HostVisibleBlocks>& known = by_name[memory_name];
  std::shared_ptr<HostVisibleBlocks> blocks = known.lock();
  if (blocks == nullptr) known = blocks = std::make_shared<HostVisibleBlocks>();
  return blocks;
}

Result<std::shared_ptr<HostVisibleMemory>> HostVisibleBlocks::allocate_shared(Transport& transport, uint64_t bytes) {
  NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<DeviceBuffer> memory, transport.allocate(bytes, 0));
  auto block = std::make_shared<Block>(std::move(memory), is_safe_);
  const MutexLock lock(mutex_);
  std::erase_if(blocks_, [](const std::weak_ptr<Block>& other) { return other.expired(); });
  blocks_.push_back(block);
  return std::shared_ptr<HostVisibleMemory>(std::move(block));
}

std::optional<Place> HostVisibleBlocks::find(const std::byte* bytes, uint64_t size) const {
  const MutexLock lock(mutex_);
  for (const std::weak_ptr<Block>& weak : blocks_) {
    const std::shared_ptr<Block> block = weak.lock();
    if (block == nullptr) continue;
    if (std::optional<Place> place = block->find(bytes, size)) return place;
  }
  return std::nullopt;
}

void HostVisibleBlocks::set_unsafe(const Transport& accelerator) {
  is_safe_->store(false);
  const MutexLock lock(mutex_);
  unstopped_.insert(&accelerator);
  kept_.clear();
  for (const std::weak_ptr<Block>& weak : blocks_)
    if (std::shared_ptr<Block> block = weak.lock()) kept_.push_back(std::move(block));
}

void HostVisibleBlocks::set_safe(const Transport& accelerator) {
  const MutexLock lock(mutex_);
  unstopped_.erase(&accelerator);
  if (!unstopped_.empty()) return;
  is_safe_->store(true);
  kept_.clear();
}

}  // namespace nestrt::evta
