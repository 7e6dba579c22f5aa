// SharedMemory: memory that two processes see. Whoever has its descriptor can neither shrink nor grow it, so that the
// other finds all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "nestrt/result.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::vendor {

// What is mapped, until it goes. Aligned to a page. Move-only.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();
  // Errors: kOutOfMemory.
  static Result<Mapping> create(int descriptor, uint64_t size, bool is_writable);

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

// All of it is there: it is not first looked for when it is touched. Errors: kOutOfMemory.
Result<FileDescriptor> make_shared_memory(uint64_t size);
// Which nobody changes any more.
Result<FileDescriptor> share_copy(std::span<const std::byte> bytes);

}  // namespace nestrt::vendor
