// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/format/file_bytes.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "runtime/platform/aligned_memory.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt {
namespace {

Status system_failure(std::string_view action) {
  const int error = errno;
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kIo;
  return Status(code, fmt::format("cannot {}: {}", action, std::strerror(error)));
}

Result<size_t> size_of(int descriptor) {
  struct stat info;
  if (::fstat(descriptor, &info) != 0) return system_failure("examine");
  if (!S_ISREG(info.st_mode)) return Status(Code::kInvalidPlan, "not a regular file");
  if (info.st_size <= 0) return Status(Code::kInvalidPlan, "the file is empty; compile the model with nestc");
  return static_cast<size_t>(info.st_size);
}

Result<FileBytes> map(int descriptor, size_t size) {
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return system_failure("map");
  return FileBytes{std::shared_ptr<void>(address, [size](void* start) { ::munmap(start, size); }),
                   {static_cast<const std::byte*>(address), size},
                   true};
}

Result<FileBytes> copy(int descriptor, size_t size) {
  NESTRT_ASSIGN_OR_RETURN(AlignedMemory allocated, AlignedMemory::allocate(size, "a copy of the plan"));
  auto memory = std::make_shared<AlignedMemory>(std::move(allocated));
  const std::optional<size_t> count = read_at(descriptor, 0, {memory->data(), size});
  if (!count) return system_failure("read");
  if (*count < size) return Status(Code::kIo, "the file was truncated while it was being read");
  const std::span<const std::byte> bytes(memory->data(), size);
  return FileBytes{std::move(memory), bytes, false};
}

}  // namespace

Result<FileBytes> read_descriptor(int descriptor, FileAccess access) {
  NESTRT_ASSIGN_OR_RETURN(const size_t size, size_of(descriptor));
  return access == FileAccess::kMap ? map(descriptor, size) : copy(descriptor, size);
}

Result<FileBytes> open_file(const std::string& path, FileAccess access) {
  const FileDescriptor file = FileDescriptor::open_to_read(path);
  if (!file.is_open()) return system_failure("open");
  return read_descriptor(file.value(), access);
}

}  // namespace nestrt
