// SPDX-License-Identifier: Apache-2.0
// The two digests of a plan file; format.h defines what they cover. The reader verifies them, and the compiler writes
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/plan/format/format.h"

namespace nestrt::plan_format {

struct ContentDigest {
  uint64_t low = 0;
  uint64_t high = 0;
};

// Requires: file.size() >= data_offset >= sizeof(Header), with the header at the start of `file`.
uint64_t tables_digest(std::span<const std::byte> file);
ContentDigest content_digest(std::span<const std::byte> file);
// Computes the same digest of a mapped file, whose pages it releases part by part, so that it needs little memory
// regardless of the file's size.
ContentDigest content_digest_of_mapping(std::span<const std::byte> file);

// Computes both digests and writes them into the header at the start of `file`, whose other fields are final.
void write_digests(std::span<std::byte> file);

}  // namespace nestrt::plan_format
