// SPDX-License-Identifier: Apache-2.0
// Selects the instruction set that kernels run on. Every SIMD source is compiled once per vector instruction set
// (Highway's foreach_target); NESTRT_SIMD_EXPORT collects the results in one table per function, and simd_pick selects
// an entry at run time. Sets that add only dot products or byte tiles reuse the code of the next lower set; their
// specific code is in separate sources.
//
// A SIMD source has this structure:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "kernels/unary/unary_simd.cpp"  // this file
//   #include "hwy/foreach_target.h"
//   #include "hwy/highway.h"
//   #include "kernels/common/simd/simd.h"
//   HWY_BEFORE_NAMESPACE();
//   namespace nestrt::kernels::HWY_NAMESPACE {
//   void relu(const float* x, float* y, int64_t count) { ... }
//   }
//   HWY_AFTER_NAMESPACE();
//   #if HWY_ONCE
//   namespace nestrt::kernels {
//   NESTRT_SIMD_EXPORT(relu)                     // defines relu_table
//   ... simd_pick(relu_table)(x, y, count);
//   }
//   #endif
#pragma once

#include <array>
#include <span>

#include "hwy/detect_targets.h"
#include "runtime/core/instruction_set.h"

namespace nestrt::kernels {

// Returns the sets that this machine supports, best first. Never empty.
std::span<const InstructionSet> supported_instruction_sets();
// Returns the best supported set, unless NESTRT_ISA in the environment (the name of an InstructionSet) or
// force_instruction_set() overrides it.
InstructionSet current_instruction_set();
// Selects a set, for tests and benchmarks. If this machine does not support the set, returns false and changes nothing.
// Do not call while kernels run.
bool force_instruction_set(InstructionSet set);

template <typename Function>
using SimdTable = std::array<Function, kNumInstructionSets>;

template <typename Function>
Function simd_pick(const SimdTable<Function>& table) {
  return table[static_cast<size_t>(current_instruction_set())];
}

}  // namespace nestrt::kernels

// If the file was not compiled for a set, its entry is null; the set is then not in supported_instruction_sets().
#if HWY_TARGETS & HWY_EMU128
#define NESTRT_SIMD_PORTABLE(function) &N_EMU128::function
#elif HWY_TARGETS & HWY_SCALAR  // for compilers known to break EMU128 (GCC before 12.3)
#define NESTRT_SIMD_PORTABLE(function) &N_SCALAR::function
#else
#define NESTRT_SIMD_PORTABLE(function) nullptr
#endif
#if HWY_TARGETS & HWY_NEON
#define NESTRT_SIMD_NEON(function) &N_NEON::function
#else
#define NESTRT_SIMD_NEON(function) nullptr
#endif
#if HWY_TARGETS & HWY_AVX2
#define NESTRT_SIMD_AVX2(function) &N_AVX2::function
#else
#define NESTRT_SIMD_AVX2(function) nullptr
#endif
#if HWY_TARGETS & HWY_AVX3
#define NESTRT_SIMD_AVX512(function) &N_AVX3::function
#else
#define NESTRT_SIMD_AVX512(function) nullptr
#endif

// The entries are in the order of InstructionSet.
#define NESTRT_SIMD_EXPORT(function)                                                                     \
  static constexpr ::nestrt::kernels::SimdTable<decltype(&HWY_NAMESPACE::function)> function##_table = { \
      NESTRT_SIMD_PORTABLE(function), NESTRT_SIMD_NEON(function),   NESTRT_SIMD_NEON(function),          \
      NESTRT_SIMD_AVX2(function),     NESTRT_SIMD_AVX512(function), NESTRT_SIMD_AVX512(function),        \
      NESTRT_SIMD_AVX512(function)};
