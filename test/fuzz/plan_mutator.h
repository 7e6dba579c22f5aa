// SPDX-License-Identifier: Apache-2.0
// Mutates a plan so that the file stays well-formed. A mutation changes fields of its tables, bytes of its tables, or
// its data area, and updates the header and the digests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace nestrt::test {

// Returns a mutated file of at most `most` bytes; empty if `file` has no tables or the result is too large.
std::vector<std::byte> mutate_plan(std::span<const std::byte> file, size_t most, std::mt19937& random);

}  // namespace nestrt::test
