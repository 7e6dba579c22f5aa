// SPDX-License-Identifier: Apache-2.0
// Mutations of a plan that keep the file well-formed: of the fields of its tables, their bytes, or its data area, with
// matching header and digests.
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
