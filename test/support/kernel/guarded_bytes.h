// SPDX-License-Identifier: Apache-2.0
// GuardedBytes: memory between guard bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestrt::test {

class GuardedBytes {
 public:
  // Allocates `size` bytes, `misalignment` bytes past a 64-byte boundary, and sets each to `fill`.
  explicit GuardedBytes(size_t size, std::byte fill = kGuard, size_t misalignment = 0)
      : size_(size), storage_(size + misalignment + 2 * kGuardBytes + kAlignment, kGuard) {
    const auto address = reinterpret_cast<uintptr_t>(storage_.data());
    begin_ = kGuardBytes + (kAlignment - (address + kGuardBytes) % kAlignment) % kAlignment + misalignment;
    std::fill_n(data(), size, fill);
  }
  GuardedBytes(GuardedBytes&&) = default;  // keeps the address of the memory
  GuardedBytes(const GuardedBytes&) = delete;

  std::byte* data() { return storage_.data() + begin_; }
  std::span<std::byte> bytes() { return {data(), size_}; }
  std::span<const std::byte> bytes() const { return {storage_.data() + begin_, size_}; }
  bool is_intact() const {
    const auto is_guard = [](std::byte value) { return value == kGuard; };
    const auto begin = storage_.begin() + static_cast<ptrdiff_t>(begin_);
    return std::all_of(storage_.begin(), begin, is_guard) &&
           std::all_of(begin + static_cast<ptrdiff_t>(size_), storage_.end(), is_guard);
  }

 private:
  static constexpr std::byte kGuard{0xA5};
  static constexpr size_t kGuardBytes = 256, kAlignment = 64;

  size_t size_, begin_ = 0;
  std::vector<std::byte> storage_;
};

}  // namespace nestrt::test
