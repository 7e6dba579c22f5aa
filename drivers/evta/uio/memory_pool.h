// SPDX-License-Identifier: Apache-2.0
// MemoryPool: physically contiguous memory from u-dma-buf, in which buffers are allocated.
//
// The pool belongs to one process at a time. It stays reserved when the process ends, so accesses of a program that is
// still running then affect nothing else.
//
// Threads: all members are safe from any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/evta/board/device_lock.h"
#include "drivers/evta/driver/transport.h"
#include "nestrt/driver/mutex.h"

namespace nestrt::evta {

// End of the memory that VTA's designs reach: they map DDR_LOW, the first 2 GiB of a Zynq.
inline constexpr uint64_t kEndOfReachableMemory = uint64_t{1} << 31;

// A u-dma-buf device as sysfs describes it.
struct PoolInfo {
  std::string name;    // "udmabuf0"
  std::string folder;  // in sysfs
  uint64_t address = 0;
  uint64_t size = 0;
  bool is_declared_coherent = false;  // by the property dma-coherent; its synchronisation then has no effect
};

// Returns the devices of u-dma-buf, sorted by name. Those whose attributes cannot be read have size 0.
std::vector<PoolInfo> find_pools(const SystemFiles& system);
// `name`: name of a device, or empty for the first one. Errors: kUnavailable or kIncompatible, with the remedy.
Result<PoolInfo> find_pool(const SystemFiles& system, std::string_view name);

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  // Opens the pool. Accelerators of this process share it. Waits for at most `limit` if another process uses it.
  // Errors: kUnavailable, kOutOfMemory.
  static Result<std::shared_ptr<MemoryPool>> open(const SystemFiles& system, const PoolInfo& info,
                                                  std::chrono::milliseconds limit);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;

  const PoolInfo& info() const { return info_; }
  // `offset`: distance of the address from a page boundary. `is_coherent`: no synchronisation is necessary. Errors:
  // kOutOfMemory. If a pool is declared coherent, synchronisation still cleans the processor's cache, because the
  // declaration may be wrong.
  Result<std::shared_ptr<DeviceBuffer>> allocate(uint64_t size, uint64_t offset, bool is_coherent);

 private:
  class Buffer;
  enum class Direction : uint8_t { kToDevice = 1, kFromDevice = 2 };  // as in the kernel's DMA interface

  MemoryPool(PoolInfo info, DeviceLock lock) : info_(std::move(info)), lock_(std::move(lock)) {}
  Status map(const SystemFiles& system);
  Result<uint64_t> take(uint64_t bytes) NESTRT_EXCLUDES(mutex_);
  void give_back(uint64_t begin) NESTRT_EXCLUDES(mutex_);
  Status synchronise(uint64_t offset, uint64_t size, Direction direction) const;

  const PoolInfo info_;
  const DeviceLock lock_;
  FileDescriptor memory_, sync_for_device_, sync_for_cpu_;
  std::byte* begin_ = nullptr;

  Mutex mutex_;
  std::map<uint64_t, uint64_t> used_ NESTRT_GUARDED_BY(mutex_);  // sizes of allocations by offset in the pool
};

}  // namespace nestrt::evta
