#include "runtime/core/replace_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/core/file_descriptor.h"

namespace nestrt {
namespace {

constexpr int kMaxNames = 100;  // that others have taken

Status system_error(int error) { return Status(error == ENOENT ? Code::kNotFound : Code::kIo, std::strerror(error)); }

// A file that did not exist, and its name.
struct NewFile {
  std::string name;
  FileDescriptor file;
};

NewFile create_beside(const std::string& path, mode_t rights) {
  static std::atomic<uint32_t> made = 0;
  for (int i = 1;; ++i) {
    std::string name = fmt::format("{}.tmp-{}-{}", path, ::getpid(), made++);
    FileDescriptor file = FileDescriptor::open_to_write(name, O_EXCL, rights);
    if (file.is_open() || errno != EEXIST || i == kMaxNames) return {std::move(name), std::move(file)};
  }
}

// 0, or the error's number. On the disk before it has the name: a power failure leaves the old file or the new one.
int complete(NewFile& made, const std::string& path, std::span<const std::byte> bytes) {
  if (const int error = write_all(made.file.value(), bytes); error != 0) return error;
  if (const int error = flush_to_disk(made.file.value()); error != 0) return error;
  if (const int error = made.file.close(); error != 0) return error;
  return std::rename(made.name.c_str(), path.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Status replace_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights) {
  NewFile made = create_beside(path, rights);
  if (!made.file.is_open()) return system_error(errno);
  const int error = complete(made, path, bytes);
  if (error == 0) return {};
  ::unlink(made.name.c_str());
  return system_error(error);
}

}  // namespace nestrt
