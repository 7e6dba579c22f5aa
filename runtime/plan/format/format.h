// The file around the tables of a plan.
//
//   0                header (64 bytes, below)
//   64               FlatBuffers tables (plan.fbs), identifier "NEST"
//   data_offset      data area: constants and programs, each at a multiple of 64, used in place from mmap
//   data_offset + data_bytes   end of the file, or a signature over all bytes before it (signature.h)
//
// Everything is little-endian. data_offset is a multiple of 4096, so that the data area maps page by page.
// tables_digest covers the header (with both digests zero) and the tables: it is checked on every load.
// content_digest covers the same and the data area: it is checked by Verification::kComplete and is the plan's
// identity in caches. Both are XXH3: they detect damage, not malice; against malice every table is verified, and
// plans can be signed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nestrt::plan_format {

inline constexpr char kMagic[8] = {'N', 'E', 'S', 'T', 'P', 'L', 'A', 'N'};
// A reader refuses another major version. From 1.0 on it accepts any minor one, and ignores newer fields; until then it
// accepts these. A plan has the oldest that has all that is in it.
inline constexpr uint16_t kVersionMajor = 0;
inline constexpr uint16_t kVersionMinor = 6;
// Without programs that write the bytes of accumulators.
inline constexpr uint16_t kMinorBeforeBytes = 5;
// Without alternatives of kernels, costs of the host and overheads, shapes, and operators after Opaque, too.
inline constexpr uint16_t kOldestMinor = 4;
inline constexpr uint32_t kFeatureS8 = 1;      // tensors with quantization, and the operators that compute with them
inline constexpr uint32_t kFeatureSigned = 2;  // a signature follows the data area
inline constexpr uint32_t kKnownFeatures = kFeatureS8 | kFeatureSigned;
inline constexpr size_t kSegmentAlignment = 64;
inline constexpr size_t kDataAlignment = 4096;
// In a memory plan for any schedule, buffers of the arena share bytes only in plans with at most this many operators
// and this many such buffers: a proof that the graph separates them takes a bit for each pair of operators.
inline constexpr size_t kMaxOrderedOperators = 4096;
inline constexpr size_t kMaxOrderedBuffers = 4096;

// Pairs of an operator and a branch that computes what it reads, views followed.
inline constexpr uint64_t kMaxDependencies = uint64_t{1} << 22;
// Operands of all operators together.
inline constexpr uint64_t kMaxOperands = 400'000;
// Programs of one branch: a few for each unit and for each part of the channels.
inline constexpr size_t kMaxPrograms = 256;
// Of those, for one unit and configuration: the whole, and parts of the channels. Those from the first channel on are
// ways to run that are measured.
inline constexpr size_t kMaxWays = 96;
// Kernels beside the compiler's choice, of one operator, for one instruction set.
inline constexpr size_t kMaxAlternatives = 8;
// Costs of the host, for one configuration and number of threads each, and overheads.
inline constexpr size_t kMaxHostCosts = 16;
inline constexpr uint32_t kMaxCostThreads = 1 << 16;
// A cost in microseconds, or MB/s, as files of costs have them.
inline constexpr float kMaxCost = 1e15F;
// Shapes beside the first.
inline constexpr size_t kMaxShapes = 31;
// Targets of a plan, and bytes of the unit and of the configuration of each: what belongs to one is looked up among
// all.
inline constexpr size_t kMaxTargets = 64;
inline constexpr size_t kMaxTargetBytes = 256;
inline constexpr float kMaxClockMhz = 1e6F;
// Ranges of one program: nestc makes one for each kind of thing that a layer has.
inline constexpr size_t kMaxRanges = 256;

struct Header {
  char magic[8];
  uint16_t version_major;
  uint16_t version_minor;
  uint32_t features;  // bits that a reader must know to run the plan
  uint64_t tables_bytes;
  uint64_t data_offset;
  uint64_t data_bytes;
  uint64_t tables_digest;      // XXH3-64
  uint64_t content_digest[2];  // XXH3-128, low word first
};
static_assert(sizeof(Header) == 64);

}  // namespace nestrt::plan_format
