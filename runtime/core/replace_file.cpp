#include "runtime/core/replace_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace nestrt {
namespace {

constexpr int kMaxNames = 100;  // that others have taken

Status system_error(int error) { return Status(error == ENOENT ? Code::kNotFound : Code::kIo, std::strerror(error)); }

// A file that did not exist, and its name.
struct NewFile {
  std::string name;
  int descriptor = -1;
};

NewFile create_beside(const std::string& path, mode_t rights) {
  static std::atomic<uint32_t> made = 0;
  NewFile file;
  for (int i = 0; i < kMaxNames; ++i) {
    file.name = fmt::format("{}.tmp-{}-{}", path, ::getpid(), made++);
    file.descriptor = ::open(file.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights);
    if (file.descriptor >= 0 || errno != EEXIST) break;
  }
  return file;
}

// 0, or the error's number.
int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0 ? EIO : errno;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return 0;
}

}  // namespace

Status replace_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights) {
  const NewFile file = create_beside(path, rights);
  if (file.descriptor < 0) return system_error(errno);
  int error = write_all(file.descriptor, bytes);
  if (::close(file.descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(file.name.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(file.name.c_str());
  return system_error(error);
}

}  // namespace nestrt
