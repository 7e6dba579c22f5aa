// InstructionSet: what a CPU's kernels may use. Plans name the sets that kernels were chosen for; a target lists its
// own.
//
// Those of one architecture form a line: a CPU that has one has those before it. A plan for several holds a
// selection of kernels for each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "nestrt/driver/visibility.h"

namespace NESTRT_PUBLIC nestrt {

enum class InstructionSet : uint8_t {
  kPortable = 0,     // any CPU
  kNeon = 1,         // ARMv8.0-A
  kNeonDotprod = 2,  // with dot products of bytes: ARMv8.2-A's, optional there
  kAvx2 = 3,         // x86-64-v3
  kAvx512 = 4,       // x86-64-v4
  kAvx512Vnni = 5,   // with dot products of bytes
  kAvx512Amx = 6,    // with products of tiles of bytes, too
};
inline constexpr int kNumInstructionSets = 7;

// "portable", "neon", "neon-dotprod", "avx2", "avx512", "avx512-vnni", "avx512-amx": the names that plans and profiles
// use. Empty for a number that is none.
std::string_view name(InstructionSet set);

// Whether a CPU with `set` can run what needs `needed`.
bool includes(InstructionSet set, InstructionSet needed);

}  // namespace nestrt
