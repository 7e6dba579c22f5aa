// HostVisibleBlocks: memory that sessions use as theirs, so that programs find tensors where they are: of an
// accelerator, or of several that reach the same.
//
// Threads: all members from any thread.
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

// Bytes of a buffer, from `offset` on.
struct Place {
  std::shared_ptr<DeviceBuffer> memory;
  uint64_t offset = 0;

  uint64_t address() const { return memory->address() + offset; }
};

class HostVisibleBlocks {
 public:
  // Those of the memory that transports call so (Transport::memory_name()), the same for all of them; empty: others
  // than anybody's.
  static std::shared_ptr<HostVisibleBlocks> of(const std::string& memory_name);

  // Errors: kOutOfMemory.
  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(Transport& transport, uint64_t bytes);
  // Where bytes of the host's lie for the accelerator; empty where they are not in one block.
  std::optional<Place> find(const std::byte* bytes, uint64_t size) const;

  // The accelerator could not be stopped, and may write to what lies there. Blocks are kept until all were.
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
