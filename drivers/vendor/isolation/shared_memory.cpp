// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/isolation/shared_memory.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/platform/aligned_memory.h"

namespace nestrt::vendor {
namespace {

// Returns the size of the memory file, which must not be empty, because an empty file cannot be mapped.
uint64_t file_size(uint64_t size) { return std::max<uint64_t>(size, 1); }

Status no_memory(uint64_t size, int error) {
  return Status(Code::kOutOfMemory, fmt::format("cannot share {} bytes of memory with the process of a plug-in: {}",
                                                size, std::strerror(error)));
}

// Returns 0 or the error number. Allocates all pages, because a missing page would kill the process at the first
// access.
int allocate(int descriptor, uint64_t size) {
  if (size > physical_memory()) return ENOMEM;
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(file_size(size)));
  return error;
}

int seal(int descriptor, int more_seals) {
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | more_seals;
  return ::fcntl(descriptor, F_ADD_SEALS, seals) == 0 ? 0 : errno;
}

Result<FileDescriptor> make(uint64_t size, std::initializer_list<std::span<const std::byte>> contents, int more_seals) {
  FileDescriptor memory(::memfd_create("nestrt-plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.is_open()) return no_memory(size, errno);
  int error = allocate(memory.value(), size);
  for (const std::span<const std::byte> content : contents)
    if (error == 0) error = write_all(memory.value(), content);
  if (error == 0) error = seal(memory.value(), more_seals);
  if (error != 0) return no_memory(size, error);
  return memory;
}

}  // namespace

Mapping::~Mapping() {
  if (bytes_.data() != nullptr) ::munmap(bytes_.data(), file_size(bytes_.size()));
}

Result<Mapping> Mapping::create(int descriptor, uint64_t size, bool is_writable) {
  const int rights = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const bytes = ::mmap(nullptr, file_size(size), rights, MAP_SHARED, descriptor, 0);
  if (bytes == MAP_FAILED) return no_memory(size, errno);
  Mapping mapping;
  mapping.bytes_ = {static_cast<std::byte*>(bytes), size};
  return mapping;
}

Result<FileDescriptor> make_shared_memory(uint64_t size) { return make(size, {}, 0); }

Result<FileDescriptor> share_copy(std::span<const std::byte> first, std::span<const std::byte> second) {
  return make(first.size() + second.size(), {first, second}, F_SEAL_WRITE);
}

}  // namespace nestrt::vendor
