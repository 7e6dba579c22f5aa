// SPDX-License-Identifier: Apache-2.0
// AlignedMemory: a block of memory, aligned to 64 bytes (large blocks to huge pages) and freed automatically.
// Move-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nestrt/result.h"

namespace nestrt {

class AlignedMemory {
 public:
  static constexpr size_t kAlignment = 64;

  AlignedMemory() = default;
  // Allocates uninitialised memory. `purpose` names the block in the error message. Errors: kOutOfMemory; a size beyond
  // the machine's physical memory fails immediately, although the operating system might grant it.
  static Result<AlignedMemory> allocate(uint64_t bytes, std::string_view purpose);

  // Asks the operating system for huge pages if the block is large, so that the first accesses cost fewer page faults.
  // It may decline. Call it before the first access; the call itself may take tens of microseconds.
  void request_huge_pages() const;

  std::byte* data() const { return data_.get(); }  // null if size() is 0
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  size_t size_ = 0;
};

// Returns the physical memory of the machine in bytes.
uint64_t physical_memory();

constexpr uint64_t align_up(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace nestrt
