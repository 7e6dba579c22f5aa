// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/simulator/simulated_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "nestrt/driver/mutex.h"

namespace nestrt::evta {
namespace {

constexpr uint64_t kEndOfAddresses = uint64_t{1} << 32;

std::span<std::byte> span_of(const AlignedMemory& memory) { return {memory.data(), memory.size()}; }

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

Result<AlignedMemory> filled_memory(uint64_t size, std::byte value) {
  NESTRT_ASSIGN_OR_RETURN(AlignedMemory memory, AlignedMemory::allocate(size, "memory of a simulated accelerator"));
  std::fill_n(memory.data(), size, value);
  return memory;
}

}  // namespace

// The allocated address ranges.
class SimulatedMemory::AddressSpace : public std::enable_shared_from_this<AddressSpace> {
 public:
  // An allocated range, released by the destructor.
  class Taken {
   public:
    Taken(std::shared_ptr<AddressSpace> space, uint64_t begin) : space_(std::move(space)), begin_(begin) {}
    Taken(const Taken&) = delete;
    ~Taken() { space_->give_back(begin_); }

    uint64_t begin() const { return begin_; }

   private:
    const std::shared_ptr<AddressSpace> space_;
    const uint64_t begin_;
  };

  // Allocates after the last allocation, or else in the first gap that is large enough. Returns null if there is no
  // such gap.
  std::shared_ptr<const Taken> take(uint64_t bytes) {
    if (bytes > kEndOfAddresses) return nullptr;
    const uint64_t size = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    const MutexLock lock(mutex_);
    std::optional<uint64_t> begin = find_gap(next_, size);
    if (!begin) begin = find_gap(kPageBytes, size);
    if (!begin) return nullptr;
    next_ = *begin + size;
    taken_[*begin] = next_;
    return std::make_shared<const Taken>(shared_from_this(), *begin);
  }

 private:
  // Finds a gap at or after `begin`, which must not be within an allocation.
  std::optional<uint64_t> find_gap(uint64_t begin, uint64_t size) const NESTRT_REQUIRES(mutex_) {
    for (auto next = taken_.lower_bound(begin); next != taken_.end() && next->first - begin < size; ++next)
      begin = next->second;
    return kEndOfAddresses - begin < size ? std::nullopt : std::optional(begin);
  }
  void give_back(uint64_t begin) {
    const MutexLock lock(mutex_);
    taken_.erase(begin);
  }

  Mutex mutex_;
  std::map<uint64_t, uint64_t> taken_ NESTRT_GUARDED_BY(mutex_);  // begin to end
  uint64_t next_ NESTRT_GUARDED_BY(mutex_) = kPageBytes;          // end of the last allocation
};

SimulatedMemory::SimulatedMemory(HostView view, uint64_t line_bytes, std::byte stale)
    : view_(view), line_bytes_(line_bytes), stale_(stale), space_(std::make_shared<AddressSpace>()) {}

Result<std::shared_ptr<SimulatedBuffer>> SimulatedMemory::allocate(uint64_t size, uint64_t offset) {
  const auto addresses = size < kEndOfAddresses ? space_->take(offset + size) : nullptr;
  if (addresses == nullptr)
    return Status(Code::kOutOfMemory, fmt::format("cannot allocate {} bytes within the accelerator's 4 GiB", size));
  NESTRT_ASSIGN_OR_RETURN(AlignedMemory memory, filled_memory(size, stale_));
  std::optional<AlignedMemory> copy, clean;
  if (view_ != HostView::kShared) {
    NESTRT_ASSIGN_OR_RETURN(copy, filled_memory(size, stale_));
  }
  if (view_ == HostView::kCached) {
    NESTRT_ASSIGN_OR_RETURN(clean, filled_memory(size, stale_));
  }
  const uint64_t address = addresses->begin() + offset;
  return std::make_shared<SimulatedBuffer>(addresses, address, std::move(memory), std::move(copy), std::move(clean),
                                           line_bytes_);
}

SimulatedBuffer::SimulatedBuffer(std::shared_ptr<const void> addresses, uint64_t address, AlignedMemory memory,
                                 std::optional<AlignedMemory> copy, std::optional<AlignedMemory> clean,
                                 uint64_t line_bytes)
    : addresses_(std::move(addresses)),
      address_(address),
      memory_(std::move(memory)),
      copy_(std::move(copy)),
      clean_(std::move(clean)),
      line_bytes_(line_bytes) {}

std::span<std::byte> SimulatedBuffer::bytes() const { return span_of(copy_ ? *copy_ : memory_); }
std::span<std::byte> SimulatedBuffer::device_bytes() const { return span_of(memory_); }

Status SimulatedBuffer::to_device(uint64_t offset, uint64_t size) {
  if (clean_)
    write_back(offset, size);
  else if (copy_)
    copy_bytes(bytes().subspan(offset, size), device_bytes().subspan(offset, size));
  return {};
}

// Makes the accelerator's writes visible. With a cache, reads the lines again. Other bytes in these lines that the host
// has changed are written back first.
Status SimulatedBuffer::from_device(uint64_t offset, uint64_t size) {
  if (!copy_) return {};
  Lines lines = {offset, offset + size};
  if (clean_) {
    lines = lines_of(offset, size);
    if (lines.begin < offset) write_back(lines.begin, 1);
    if (lines.end > offset + size) write_back(offset + size, 1);
    const uint64_t count = lines.end - lines.begin;
    copy_bytes(device_bytes().subspan(lines.begin, count), span_of(*clean_).subspan(lines.begin, count));
  }
  const uint64_t count = lines.end - lines.begin;
  copy_bytes(device_bytes().subspan(lines.begin, count), bytes().subspan(lines.begin, count));
  return {};
}

void SimulatedBuffer::write_back(uint64_t offset, uint64_t size) const {
  if (!clean_) return;
  const Lines lines = lines_of(offset, size);
  for (uint64_t begin = lines.begin; begin < lines.end;) {
    const uint64_t end = lines_of(begin, 1).end;
    const std::span<const std::byte> line = bytes().subspan(begin, end - begin);
    const std::span<std::byte> clean = span_of(*clean_).subspan(begin, end - begin);
    if (!std::ranges::equal(line, clean)) {
      copy_bytes(line, device_bytes().subspan(begin, end - begin));
      copy_bytes(line, clean);
    }
    begin = end;
  }
}

// Returns the offsets of the cache lines that contain those bytes, clamped to the buffer.
SimulatedBuffer::Lines SimulatedBuffer::lines_of(uint64_t offset, uint64_t size) const {
  const uint64_t before = std::min(offset, (address_ + offset) % line_bytes_);
  const uint64_t end = address_ + offset + size + line_bytes_ - 1;
  return {offset - before, std::min<uint64_t>(end - end % line_bytes_ - address_, memory_.size())};
}

}  // namespace nestrt::evta
