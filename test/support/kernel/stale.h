// SPDX-License-Identifier: Apache-2.0
// Stale: previous contents of memory. The two kinds differ in every byte, so an operation that produces the same
// results with both does not depend on previous contents.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace nestrt::test {

enum class Stale {
  kZeros,
  kNans,  // signalling NaNs in f32; large values in s32, of both signs in s8
};

inline void fill(std::span<std::byte> bytes, Stale stale) {
  static constexpr std::array<std::byte, 4> kNan{std::byte{0xA5}, std::byte{0xA5}, std::byte{0xA5}, std::byte{0x7F}};
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = stale == Stale::kZeros ? std::byte{0} : kNan[i % kNan.size()];
}

}  // namespace nestrt::test
