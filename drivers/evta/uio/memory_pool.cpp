// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/uio/memory_pool.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "drivers/evta/board/board_transport.h"
#include "drivers/evta/uio/uio_devices.h"

namespace nestrt::evta {
namespace {

constexpr uint64_t round_up(uint64_t size, uint64_t unit) { return (size + unit - 1) / unit * unit; }

// Writes lines of the processor's cache back to memory and discards them. Linux allows programs to execute this
// instruction.
void clean_lines([[maybe_unused]] const std::byte* begin, [[maybe_unused]] uint64_t size) {
#ifdef __aarch64__
  for (uint64_t i = 0; i < size; i += kCacheLineBytes) __asm__ volatile("dc civac, %0" ::"r"(begin + i) : "memory");
  __asm__ volatile("dsb sy" ::: "memory");
#endif
}

// Pools open in this process, by the path of their memory.
struct OpenPools {
  Mutex mutex;
  std::map<std::string, std::weak_ptr<MemoryPool>> by_path NESTRT_GUARDED_BY(mutex);
};

OpenPools& open_pools() {
  static auto* const pools = new OpenPools;  // never destroyed: buffers may be kept until exit
  return *pools;
}

}  // namespace

std::vector<PoolInfo> find_pools(const SystemFiles& system) {
  std::vector<PoolInfo> pools;
  for (const std::string_view family : {"/sys/class/u-dma-buf", "/sys/class/udmabuf"})  // the latter before version 2
    for (const std::string& name : system.list(family)) {
      const std::string folder = fmt::format("{}/{}", family, name);
      const auto address = system.read_number(folder + "/phys_addr"), size = system.read_number(folder + "/size");
      const bool is_readable = address && size;
      pools.push_back({name, folder, address.value_or(0), is_readable ? *size : 0,
                       system.read_number(folder + "/dma_coherent").value_or(0) == 1});
    }
  return pools;
}

Result<PoolInfo> find_pool(const SystemFiles& system, std::string_view name) {
  const std::vector<PoolInfo> pools = find_pools(system);
  const auto found = name.empty() ? pools.begin() : std::ranges::find(pools, name, &PoolInfo::name);
  if (found == pools.end()) {
    std::string present;
    for (const PoolInfo& pool : pools) present += (present.empty() ? "" : ", ") + pool.name;
    return Status(
        Code::kUnavailable,
        fmt::format("there is no memory pool {}of u-dma-buf (present: {}): load its module, for example with "
                    "`modprobe u-dma-buf udmabuf0=0x8000000`, or its device tree overlay (docs/how-to/uio.md)",
                    name.empty() ? "" : fmt::format("'{}' ", name), present.empty() ? "none" : present));
  }
  if (found->size < kPageBytes)
    return Status(Code::kUnavailable,
                  fmt::format("{} does not contain the address and size of the pool", found->folder));
  if (found->address % kPageBytes != 0 || found->address > kEndOfReachableMemory ||
      found->size > kEndOfReachableMemory - found->address)
    return Status(Code::kIncompatible,
                  fmt::format("pool {} is at [{:#x}, {:#x}), but the accelerator reaches only addresses below {:#x}: "
                              "reserve memory below that (reserved-memory and memory-region in the device tree)",
                              found->name, found->address, found->address + found->size, kEndOfReachableMemory));
  return *found;
}

// --- Buffers.

class MemoryPool::Buffer final : public DeviceBuffer {
 public:
  Buffer(std::shared_ptr<MemoryPool> pool, uint64_t page, uint64_t offset, uint64_t size, bool is_coherent)
      : pool_(std::move(pool)), page_(page), offset_(page + offset), size_(size), is_coherent_(is_coherent) {}
  ~Buffer() override { pool_->give_back(page_); }
  Buffer(const Buffer&) = delete;

  uint64_t address() const override { return pool_->info_.address + offset_; }
  std::span<std::byte> bytes() const override { return {pool_->begin_ + offset_, size_}; }
  Status to_device(uint64_t offset, uint64_t size) override { return synchronise(offset, size, Direction::kToDevice); }
  Status from_device(uint64_t offset, uint64_t size) override {
    return synchronise(offset, size, Direction::kFromDevice);
  }

 private:
  Status synchronise(uint64_t offset, uint64_t size, Direction direction) const {
    return is_coherent_ || size == 0 ? Status() : pool_->synchronise(offset_ + offset, size, direction);
  }

  const std::shared_ptr<MemoryPool> pool_;
  const uint64_t page_;    // offset of its first page in the pool
  const uint64_t offset_;  // in the pool
  const uint64_t size_;
  const bool is_coherent_;
};

Result<std::shared_ptr<DeviceBuffer>> MemoryPool::allocate(uint64_t size, uint64_t offset, bool is_coherent) {
  if (size > info_.size)
    return Status(Code::kOutOfMemory,
                  fmt::format("cannot allocate {} bytes in pool {} of {} bytes", size, info_.name, info_.size));
  NESTRT_ASSIGN_OR_RETURN(const uint64_t page, take(std::max(round_up(offset + size, kPageBytes), kPageBytes)));
  return std::shared_ptr<DeviceBuffer>(std::make_shared<Buffer>(shared_from_this(), page, offset, size, is_coherent));
}

// Returns the first gap that is large enough.
Result<uint64_t> MemoryPool::take(uint64_t bytes) {
  const MutexLock lock(mutex_);
  uint64_t begin = 0;
  for (const auto& [offset, size] : used_) {
    if (offset - begin >= bytes) break;
    begin = offset + size;
  }
  const uint64_t end = info_.size / kPageBytes * kPageBytes;
  if (begin <= end && end - begin >= bytes) {
    used_.emplace(begin, bytes);
    return begin;
  }
  return Status(Code::kOutOfMemory,
                fmt::format("pool {} of {} bytes has no {} contiguous free bytes: use fewer programs or instances, or "
                            "enlarge the pool",
                            info_.name, info_.size, bytes));
}

void MemoryPool::give_back(uint64_t begin) {
  const MutexLock lock(mutex_);
  used_.erase(begin);
}

// One write of offset, size, direction and the command performs the cache maintenance of whole lines.
Status MemoryPool::synchronise(uint64_t offset, uint64_t size, Direction direction) const {
  const uint64_t begin = offset / kCacheLineBytes * kCacheLineBytes, end = round_up(offset + size, kCacheLineBytes);
  if (info_.is_declared_coherent) clean_lines(begin_ + begin, end - begin);
  const uint64_t command = begin << 32 | (end - begin) | uint64_t{static_cast<uint8_t>(direction)} << 2 | 1;
  std::array<char, 24> text = {'0', 'x'};
  char* const last = std::to_chars(text.data() + 2, text.data() + text.size() - 1, command, 16).ptr;
  *last = '\n';
  const auto written = static_cast<size_t>(last + 1 - text.data());
  const FileDescriptor& file = direction == Direction::kToDevice ? sync_for_device_ : sync_for_cpu_;
  if (::pwrite(file.value(), text.data(), written, 0) == static_cast<ssize_t>(written)) return {};
  return Status(Code::kDeviceFault,
                fmt::format("cache maintenance of {} failed: {}", info_.name, std::generic_category().message(errno)));
}

// --- Opening.

Result<std::shared_ptr<MemoryPool>> MemoryPool::open(const SystemFiles& system, const PoolInfo& info,
                                                     std::chrono::milliseconds limit) {
  const MutexLock lock(open_pools().mutex);
  std::weak_ptr<MemoryPool>& known = open_pools().by_path[system.path("/dev/" + info.name)];
  if (std::shared_ptr<MemoryPool> pool = known.lock()) return pool;
  NESTRT_ASSIGN_OR_RETURN(DeviceLock ownership, DeviceLock::acquire(system, info.name, limit));
  std::shared_ptr<MemoryPool> pool(new MemoryPool(info, std::move(ownership)));
  NESTRT_RETURN_IF_ERROR(pool->map(system));
  known = pool;
  return pool;
}

MemoryPool::~MemoryPool() {
  if (begin_ != nullptr) ::munmap(begin_, info_.size);
}

// Without O_SYNC, the mapping is cached.
Status MemoryPool::map(const SystemFiles& system) {
  const std::string path = system.path("/dev/" + info_.name);
  memory_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!memory_.is_open()) return cannot_access(path, errno);
  for (const auto& [file, name] : {std::pair(&sync_for_device_, "sync_for_device"), {&sync_for_cpu_, "sync_for_cpu"}}) {
    const std::string attribute = system.path(fmt::format("{}/{}", info_.folder, name));
    *file = FileDescriptor(::open(attribute.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file->is_open()) return cannot_access(attribute, errno);
  }
  void* const begin = ::mmap(nullptr, info_.size, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.value(), 0);
  if (begin == MAP_FAILED) return cannot_access(path, errno);
  begin_ = static_cast<std::byte*>(begin);
  return {};
}

}  // namespace nestrt::evta
