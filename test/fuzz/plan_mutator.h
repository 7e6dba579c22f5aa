// Changes of a plan that leave it a file: the fields of its tables, their bytes, or its data area, with the header and
// the digests to match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace nestrt::test {

// A changed file of at most `most` bytes; empty where `file` has no tables, or where the change is too large.
std::vector<std::byte> mutate_plan(std::span<const std::byte> file, size_t most, std::mt19937& random);

}  // namespace nestrt::test
