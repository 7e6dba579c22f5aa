// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/file_descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace nestrt {
namespace {

template <typename Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Repeats `read`, which reads up to a given number of bytes to an address. Its third argument is the number of bytes
// read so far.
template <typename Read>
std::optional<size_t> read_whole(std::span<std::byte> bytes, Read read) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = uninterrupted([&] { return read(bytes.data() + done, bytes.size() - done, done); });
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

}  // namespace

FileDescriptor FileDescriptor::open_to_read(const std::string& path, int more_flags) {
  const int flags = O_RDONLY | O_CLOEXEC | more_flags;
  return FileDescriptor(uninterrupted([&] { return ::open(path.c_str(), flags); }));
}

FileDescriptor FileDescriptor::open_to_write(const std::string& path, int more_flags, mode_t rights) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | more_flags;
  return FileDescriptor(uninterrupted([&] { return ::open(path.c_str(), flags, rights); }));
}

int FileDescriptor::close() {
  if (!is_open()) return 0;
  const int result = ::close(std::exchange(value_, -1));
  return result == 0 || errno == EINTR ? 0 : errno;  // an interrupted call has also closed the file
}

std::optional<size_t> read_at(int descriptor, uint64_t offset, std::span<std::byte> bytes) {
  return read_whole(bytes, [&](std::byte* to, size_t count, size_t done) {
    return ::pread(descriptor, to, count, static_cast<off_t>(offset + done));
  });
}

std::optional<size_t> read_on(int descriptor, std::span<std::byte> bytes) {
  return read_whole(bytes, [&](std::byte* to, size_t count, size_t) { return ::read(descriptor, to, count); });
}

int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = uninterrupted([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (count <= 0) return count == 0 ? EIO : errno;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return 0;
}

int flush_to_disk(int descriptor) {
  const int result = uninterrupted([&] { return ::fsync(descriptor); });
  return result == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;  // some file systems do not support it
}

}  // namespace nestrt
