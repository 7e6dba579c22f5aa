// FileDescriptor: an open file, and what is done with one. Calls that a signal interrupts are made again.
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

// Closes what it owns. Move-only.
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

  // As open(2); not is_open() and errno where it fails. Without more flags it does not wait for the writer of a pipe.
  static FileDescriptor open_to_read(const std::string& path, int more_flags = O_NONBLOCK);
  static FileDescriptor open_to_write(const std::string& path, int more_flags, mode_t rights);

  bool is_open() const { return value_ >= 0; }
  int value() const { return value_; }
  // 0, or the error's number; it is closed in any case.
  int close();

 private:
  int value_ = -1;
};

// How many bytes there are from `offset` on, up to as many as are asked for; empty and errno where they cannot be read.
std::optional<size_t> read_at(int descriptor, uint64_t offset, std::span<std::byte> bytes);
// The same from where the file is, which may be a pipe.
std::optional<size_t> read_on(int descriptor, std::span<std::byte> bytes);
// 0, or the error's number.
int write_all(int descriptor, std::span<const std::byte> bytes);
// Until the bytes are on the disk. 0, or the error's number.
int flush_to_disk(int descriptor);

}  // namespace nestrt
