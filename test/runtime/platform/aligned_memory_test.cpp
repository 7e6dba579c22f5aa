// SPDX-License-Identifier: Apache-2.0
#include "runtime/platform/aligned_memory.h"

#include <catch2/catch.hpp>
#include <cstring>

namespace nestrt::test {
namespace {

constexpr size_t kMegabyte = 1 << 20;

bool is_aligned(const AlignedMemory& memory, size_t alignment) {
  return reinterpret_cast<uintptr_t>(memory.data()) % alignment == 0;
}

TEST_CASE("Blocks have the requested size, and large ones begin at a huge page") {
  for (const size_t bytes : {size_t{1}, kMegabyte - 1, kMegabyte, 2 * kMegabyte, 3 * kMegabyte + 7}) {
    const AlignedMemory memory = AlignedMemory::allocate(bytes, "a block").value();
    CHECK(memory.size() == bytes);
    CHECK(is_aligned(memory, AlignedMemory::kAlignment));
    if (bytes >= kMegabyte) CHECK(is_aligned(memory, 2 * kMegabyte));
  }
}

TEST_CASE("A request for huge pages keeps the contents of a block") {
  for (const size_t bytes : {size_t{0}, size_t{64}, 2 * kMegabyte, 5 * kMegabyte + 1}) {
    const AlignedMemory memory = AlignedMemory::allocate(bytes, "a block").value();
    if (bytes > 0) std::memset(memory.data(), 42, bytes);
    memory.request_huge_pages();
    for (size_t i = 0; i < bytes; i += 1021) REQUIRE(memory.data()[i] == std::byte{42});
  }
}

}  // namespace
}  // namespace nestrt::test
