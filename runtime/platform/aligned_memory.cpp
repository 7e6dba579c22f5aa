// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/aligned_memory.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

namespace nestrt {

uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return SIZE_MAX / 2;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes);
}

void AlignedMemory::Free::operator()(std::byte* data) const { std::free(data); }

Result<AlignedMemory> AlignedMemory::allocate(uint64_t bytes, std::string_view purpose) {
  AlignedMemory memory;
  if (bytes == 0) return memory;
  const uint64_t available = physical_memory();
  if (bytes <= available)
    memory.data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, align_up(bytes, kAlignment))));
  if (memory.data_ == nullptr)
    return Status(Code::kOutOfMemory,
                  fmt::format("cannot allocate {} of {} bytes (the machine has {} bytes); use a smaller model or input",
                              purpose, bytes, available));
  memory.size_ = bytes;
  return memory;
}

}  // namespace nestrt
