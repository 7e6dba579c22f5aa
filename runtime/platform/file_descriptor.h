// SPDX-License-Identifier: Apache-2.0
// FileDescriptor: an open file and operations on it. System calls interrupted by a signal are repeated.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace nestrt {

// Owns and closes a file descriptor. Move-only.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  // Opens a file like open(2). On failure is_open() is false and errno is set. By default, opening a pipe does not wait
  // for a writer.
  static FileDescriptor open_to_read(const std::string& path, int more_flags = O_NONBLOCK);
  static FileDescriptor open_to_write(const std::string& path, int more_flags, mode_t rights);

  bool is_open() const { return value_ >= 0; }
  int value() const { return value_; }
  // Closes the file. Returns 0 or the errno value; the file is closed in either case.
  int close();

 private:
  int value_ = -1;
};

// Reads from position `offset`. Returns the number of bytes read, which is smaller than requested at the end of the
// file. On failure returns nullopt and sets errno.
std::optional<size_t> read_at(int descriptor, uint64_t offset, std::span<std::byte> bytes);
// Reads like read_at(), but from the current position; the file may be a pipe.
std::optional<size_t> read_on(int descriptor, std::span<std::byte> bytes);
// Returns 0 or the errno value.
int write_all(int descriptor, std::span<const std::byte> bytes);
// Waits until the data is on the disk. Returns 0 or the errno value.
int flush_to_disk(int descriptor);

}  // namespace nestrt
