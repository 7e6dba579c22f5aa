// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/aligned_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace nestrt {
namespace {

// The size of a huge page on x86 and on aarch64 with pages of 4 KB. Elsewhere the advice below has no effect.
constexpr uint64_t kHugePage = 2 << 20;

// Returns the size of the first part of a block for which huge pages pay off. The last huge page counts if at least
// half of it is used.
uint64_t huge_page_bytes(uint64_t bytes) { return (bytes + kHugePage / 2) / kHugePage * kHugePage; }

}  // namespace

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
  const uint64_t alignment = huge_page_bytes(bytes) > 0 ? kHugePage : kAlignment;
  if (bytes <= available)
    memory.data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, align_up(bytes, alignment))));
  if (memory.data_ == nullptr)
    return Status(Code::kOutOfMemory,
                  fmt::format("cannot allocate {} of {} bytes (the machine has {} bytes); use a smaller model or input",
                              purpose, bytes, available));
  memory.size_ = bytes;
  return memory;
}

void AlignedMemory::request_huge_pages() const {
#ifdef MADV_HUGEPAGE
  if (const uint64_t bytes = huge_page_bytes(size_); bytes > 0) ::madvise(data_.get(), bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace nestrt
