// SPDX-License-Identifier: Apache-2.0
// HostVisibleBlocks: device memory that sessions use directly, so that programs access tensors in place. It belongs to
// one accelerator, or to several that share it.
//
// Threads: all members are safe from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "drivers/evta/driver/transport.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/driver/unit.h"

namespace nestrt::evta {

// The location of bytes: a buffer, and an offset in it.
struct Place {
  std::shared_ptr<DeviceBuffer> memory;
  uint64_t offset = 0;

  uint64_t address() const { return memory->address() + offset; }
};

class HostVisibleBlocks {
 public:
  // Returns the blocks of the memory with this name (Transport::memory_name()), which are shared by all transports that
  // use it. An empty name creates separate blocks.
  static std::shared_ptr<HostVisibleBlocks> of(const std::string& memory_name);

  // Errors: kOutOfMemory.
  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(Transport& transport, uint64_t bytes);
  // Returns the location of the host's bytes in the accelerator's memory, or nullopt if they are not within one block.
  std::optional<Place> find(const std::byte* bytes, uint64_t size) const;

  // Marks an accelerator that could not be stopped and may still write to blocks. Blocks are kept until all
  // accelerators are safe.
  void set_unsafe(const Transport& accelerator);
  void set_safe(const Transport& accelerator);

 private:
  class Block;

  const std::shared_ptr<std::atomic<bool>> is_safe_ = std::make_shared<std::atomic<bool>>(true);
  mutable Mutex mutex_;
  std::vector<std::weak_ptr<Block>> blocks_ NESTRT_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Block>> kept_ NESTRT_GUARDED_BY(mutex_);
  std::set<const Transport*> unstopped_ NESTRT_GUARDED_BY(mutex_);
};

}  // namespace nestrt::evta
