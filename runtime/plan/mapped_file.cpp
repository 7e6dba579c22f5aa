#include "runtime/plan/mapped_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace nestrt {
namespace {

struct FileDescriptor {
  int value = -1;
  ~FileDescriptor() {
    if (value >= 0) ::close(value);
  }
};

Status system_failure(const std::string& path, std::string_view action) {
  const int error = errno;
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kIo;
  return Status(code, fmt::format("{}: cannot {}: {}", path, action, std::strerror(error)));
}

}  // namespace

Result<MappedFile> map_file(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) return system_failure(path, "open");
  struct stat info;
  if (::fstat(file.value, &info) != 0) return system_failure(path, "examine");
  if (!S_ISREG(info.st_mode)) return Status(Code::kInvalidPlan, fmt::format("{}: not a regular file", path));
  if (info.st_size <= 0)
    return Status(Code::kInvalidPlan, fmt::format("{}: the file is empty; compile the model with nestc", path));

  const auto size = static_cast<size_t>(info.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (address == MAP_FAILED) return system_failure(path, "map");
  MappedFile mapped;
  mapped.owner = std::shared_ptr<void>(address, [size](void* start) { ::munmap(start, size); });
  mapped.bytes = {static_cast<const std::byte*>(address), size};
  return mapped;
}

}  // namespace nestrt
