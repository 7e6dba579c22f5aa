// SPDX-License-Identifier: Apache-2.0
// Stale: previous contents of memory. The two kinds differ in every byte, so an operation that produces the same
// results with both does not depend on previous contents.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace nestrt::test {

enum class Stale {
  kZeros,
  kNans,  // signalling NaNs in f32; large values in s32, of both signs in s8
};

inline void fill(std::span<std::byte> bytes, Stale stale) {
  if (bytes.empty()) return;
  if (stale == Stale::kZeros) {
    std::memset(bytes.data(), 0, bytes.size());
    return;
  }
  static constexpr std::array<std::byte, 4> kNan{std::byte{0xA5}, std::byte{0xA5}, std::byte{0xA5}, std::byte{0x7F}};
  size_t filled = std::min(bytes.size(), kNan.size());
  std::memcpy(bytes.data(), kNan.data(), filled);
  // Doubles the filled part, which is much faster than single bytes in builds without optimisation.
  for (size_t count = 0; filled < bytes.size(); filled += count) {
    count = std::min(filled, bytes.size() - filled);
    std::memcpy(bytes.data() + filled, bytes.data(), count);
  }
}

}  // namespace nestrt::test
