// SPDX-License-Identifier: Apache-2.0
// SharedMemory: memory that two processes share. The descriptor is sealed, so that neither can resize it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "nestrt/result.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::vendor {

// A memory mapping, unmapped by the destructor. Aligned to a page. Move-only.
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

// Allocates all pages immediately instead of at the first access. Errors: kOutOfMemory.
Result<FileDescriptor> make_shared_memory(uint64_t size);
// Returns an immutable copy of `first`, followed directly by `second`.
Result<FileDescriptor> share_copy(std::span<const std::byte> first, std::span<const std::byte> second);

}  // namespace nestrt::vendor
