// SPDX-License-Identifier: Apache-2.0
// InstructionSet: the instructions that kernels may use. Plans name the sets for which kernels were chosen; a target
// lists the sets of its CPU.
//
// The sets of one architecture are ordered: a CPU with one set also has all previous ones. A plan for several sets
// contains a selection of kernels for each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nestrt {

enum class InstructionSet : uint8_t {
  kPortable = 0,     // any CPU
  kNeon = 1,         // ARMv8.0-A
  kNeonDotprod = 2,  // with dot products of bytes, optional in ARMv8.2-A
  kAvx2 = 3,         // x86-64-v3
  kAvx512 = 4,       // x86-64-v4
  kAvx512Vnni = 5,   // with dot products of bytes
  kAvx512Amx = 6,    // also with products of tiles of bytes
};
inline constexpr int kNumInstructionSets = 7;

// Returns the name used in plans and cost files: "portable", "neon", "neon-dotprod", "avx2", "avx512", "avx512-vnni" or
// "avx512-amx"; an empty string for an invalid value.
std::string_view name(InstructionSet set);

// Returns whether a CPU with `set` can run code that requires `needed`.
bool includes(InstructionSet set, InstructionSet needed);

}  // namespace nestrt
