// SPDX-License-Identifier: Apache-2.0
// The container around the tables of a plan.
//   0                header (64 bytes, below)
//   64               FlatBuffers tables (plan.fbs), identifier "NEST"
//   data_offset      data area: constants and programs, each at a multiple of 64, used in place from mmap
//   data_offset + data_bytes   end of the file, or a signature over all bytes before it (signature.h)
// All values are little-endian. data_offset is a multiple of 4096, so that the data area maps page by page.
// tables_digest covers the header (with both digests zero) and the tables; every load checks it. content_digest also
// covers the data area; Verification::kComplete checks it, and caches use it as the plan's identity. Both are XXH3 and
// detect accidental damage only. Against attacks, every table is verified and plans can be signed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestrt::plan_format {

inline constexpr char kMagic[8] = {'N', 'E', 'S', 'T', 'P', 'L', 'A', 'N'};
// Readers reject other major versions. From 1.0 on they accept every minor version and ignore newer fields; until then
// they accept the versions below. A plan has the oldest version that supports its content.
inline constexpr uint16_t kVersionMajor = 0;
inline constexpr uint16_t kVersionMinor = 7;
// The minor version that lacks operators after NonMaxSuppression, Recurrent with integer weights, Pad with a second
// input, facts of vendors, and blobs of several segments.
inline constexpr uint16_t kMinorBeforeDynamic = 6;
// The minor version that also lacks programs that write the bytes of accumulators.
inline constexpr uint16_t kMinorBeforeBytes = 5;
// The minor version that also lacks kernel alternatives, costs of the host, overheads, shapes, and operators after
// Opaque.
inline constexpr uint16_t kOldestMinor = 4;
inline constexpr uint32_t kFeatureS8 = 1;      // tensors with quantization, and the operators that compute with them
inline constexpr uint32_t kFeatureSigned = 2;  // a signature follows the data area
inline constexpr uint32_t kKnownFeatures = kFeatureS8 | kFeatureSigned;
inline constexpr size_t kSegmentAlignment = 64;
inline constexpr size_t kDataAlignment = 4096;
// Limit for a memory plan for any schedule. In larger plans, arena buffers do not share bytes, because proving that the
// graph separates them needs one bit per pair of operators.
inline constexpr size_t kMaxOrderedOperators = 4096;
inline constexpr size_t kMaxOrderedBuffers = 4096;

// Maximum number of (operator, branch) pairs in which the branch computes an operand of the operator, directly or
// through views.
inline constexpr uint64_t kMaxDependencies = uint64_t{1} << 22;
// Maximum number of operands of all operators in total.
inline constexpr uint64_t kMaxOperands = 400'000;
// Maximum number of programs of one branch: a few per unit and channel range.
inline constexpr size_t kMaxPrograms = 256;
// Maximum number of programs of one branch for one unit and configuration: the whole branch, and channel ranges. Ranges
// that start with the first channel are alternatives that sessions measure.
inline constexpr size_t kMaxWays = 96;
// Maximum number of alternatives to the compiler's kernel, per operator and instruction set.
inline constexpr size_t kMaxAlternatives = 8;
// Maximum number of host cost tables, one per configuration and number of threads, and of overheads.
inline constexpr size_t kMaxHostCosts = 16;
inline constexpr uint32_t kMaxCostThreads = 1 << 16;
// Maximum cost in microseconds or rate in MB/s, as in cost files.
inline constexpr float kMaxCost = 1e15F;
// Maximum number of shapes in addition to the first.
inline constexpr size_t kMaxShapes = 31;
// Maximum number of targets of a plan, and maximum length of each unit name and configuration in bytes. Lookups search
// all of them.
inline constexpr size_t kMaxTargets = 64;
inline constexpr size_t kMaxTargetBytes = 256;
inline constexpr float kMaxClockMhz = 1e6F;
// Maximum number of address ranges of one program; nestc creates one per kind of data of a layer.
inline constexpr size_t kMaxRanges = 256;

// Maximum number of files in a vendor's blob, and maximum length in bytes of a text in its facts.
inline constexpr size_t kMaxVendorFiles = 1024;
inline constexpr size_t kMaxVendorText = 4096;

struct Header {
  char magic[8];
  uint16_t version_major;
  uint16_t version_minor;
  uint32_t features;  // bits that a reader must support to run the plan
  uint64_t tables_bytes;
  uint64_t data_offset;
  uint64_t data_bytes;
  uint64_t tables_digest;      // XXH3-64
  uint64_t content_digest[2];  // XXH3-128, low word first
};
static_assert(sizeof(Header) == 64);

}  // namespace nestrt::plan_format
