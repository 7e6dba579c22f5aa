// Which instruction set kernels run on. Every SIMD source is compiled once for each set of vectors (Highway's
// foreach_target) and one table per function, made by NESTRT_SIMD_EXPORT, holds the results; simd_pick picks at run
// time. Sets that add dot products or tiles of bytes take the code of the set below: their own is in sources of its
// own.
//
// A SIMD source looks like this:
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
#include "nestrt/driver/instruction_set.h"

namespace nestrt::kernels {

// The sets that this machine can run, best first. Never empty.
std::span<const InstructionSet> supported_instruction_sets();
// The best one, unless NESTRT_ISA in the environment (a name of InstructionSet) or force_instruction_set() says
// otherwise.
InstructionSet current_instruction_set();
// For tests and benchmarks. False (and no effect) where this machine cannot run it. Not for use while kernels run.
bool force_instruction_set(InstructionSet set);

template <typename Function>
using SimdTable = std::array<Function, kNumInstructionSets>;

template <typename Function>
Function simd_pick(const SimdTable<Function>& table) {
  return table[static_cast<size_t>(current_instruction_set())];
}

}  // namespace nestrt::kernels

// A set for which the file was not compiled has a null entry, and supported_instruction_sets() does not list it.
#if HWY_TARGETS & HWY_EMU128
#define NESTRT_SIMD_PORTABLE(function) &N_EMU128::function
#elif HWY_TARGETS & HWY_SCALAR  // where the compiler is known to break EMU128 (GCC before 12.3)
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

// In the order of InstructionSet.
#define NESTRT_SIMD_EXPORT(function)                                                                     \
  static constexpr ::nestrt::kernels::SimdTable<decltype(&HWY_NAMESPACE::function)> function##_table = { \
      NESTRT_SIMD_PORTABLE(function), NESTRT_SIMD_NEON(function),   NESTRT_SIMD_NEON(function),          \
      NESTRT_SIMD_AVX2(function),     NESTRT_SIMD_AVX512(function), NESTRT_SIMD_AVX512(function),        \
      NESTRT_SIMD_AVX512(function)};
