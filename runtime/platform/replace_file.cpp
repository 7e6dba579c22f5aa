// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/replace_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/platform/file_descriptor.h"

namespace nestrt {
namespace {

constexpr int kMaxAttempts = 100;  // with names that are already in use

Status system_error(int error) { return Status(error == ENOENT ? Code::kNotFound : Code::kIo, std::strerror(error)); }

// A newly created file and its name.
struct Temporary {
  std::string name;
  FileDescriptor file;
};

Temporary create_temporary(const std::string& path, mode_t rights) {
  static std::atomic<uint32_t> made = 0;
  for (int i = 1;; ++i) {
    std::string name = fmt::format("{}.tmp-{}-{}", path, ::getpid(), made++);
    FileDescriptor file = FileDescriptor::open_to_write(name, O_EXCL, rights);
    if (file.is_open() || errno != EEXIST || i == kMaxAttempts) return {std::move(name), std::move(file)};
  }
}

// Returns 0 or the errno value. Flushes before the rename, so that a power failure leaves the old file or the new one.
int complete(FileDescriptor& file, std::span<const std::byte> bytes) {
  if (const int error = write_all(file.value(), bytes); error != 0) return error;
  if (const int error = flush_to_disk(file.value()); error != 0) return error;
  return file.close();
}

}  // namespace

Result<NewFile> NewFile::create(std::string path, std::span<const std::byte> bytes, mode_t rights) {
  Temporary made = create_temporary(path, rights);
  if (!made.file.is_open()) return system_error(errno);
  NewFile file(std::move(made.name), std::move(path));
  if (const int error = complete(made.file, bytes); error != 0) return system_error(error);
  return file;
}

NewFile::~NewFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

Status NewFile::commit() {
  if (std::rename(name_.c_str(), path_.c_str()) != 0) return system_error(errno);
  name_.clear();
  return {};
}

Status replace_file(const std::string& path, std::span<const std::byte> bytes, mode_t rights) {
  NESTRT_ASSIGN_OR_RETURN(NewFile file, NewFile::create(path, bytes, rights));
  return file.commit();
}

}  // namespace nestrt
