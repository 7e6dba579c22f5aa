// SPDX-License-Identifier: Apache-2.0
// Programs of the null unit: copies from one range of a program's memory to another. The plan stores them as a blob: a
// header followed by the copies, little-endian. A new driver defines its own format here: its compiler code writes the
// format and prepare() reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::plan {
struct Program;
}

namespace nestrt::null {

inline constexpr std::string_view kUnitKind = "null";           // plan::Program.unit
inline constexpr std::string_view kConfiguration = "copies-1";  // plan::Program.configuration: identifies the format

inline constexpr uint32_t kBlobMagic = 0x314c554e;  // "NUL1"

struct BlobHeader {
  uint32_t magic = kBlobMagic;
  uint32_t copies = 0;
};

// Indices in plan::Program.ranges.
struct BlobCopy {
  uint32_t from = 0;
  uint32_t to = 0;
};

std::vector<std::byte> encode_blob(std::span<const BlobCopy> copies);

// A location in the memory of a run: a byte offset in a buffer of the plan.
struct Place {
  uint32_t buffer = 0;
  uint64_t offset = 0;
};

struct Copy {
  Place from, to;
  uint64_t size = 0;  // bytes
};

// Returns the copies of a program. The plan must be verified: ranges are within their tensors and segments. The blob is
// untrusted. Errors: kIncompatible for another format, kInvalidPlan if the blob is invalid or exceeds its memory,
// kUnsupported.
Result<std::vector<Copy>> read_program(const Plan& plan, const plan::Program& program);

}  // namespace nestrt::null
