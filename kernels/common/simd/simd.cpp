// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/simd/simd.h"

#if HWY_ARCH_X86
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif HWY_ARCH_ARM_A64 && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "nestrt/log.h"

namespace nestrt::kernels {
namespace {

#if HWY_ARCH_X86
// Reads CPUID directly, because some compilers' __builtin_cpu_supports() does not know f16c.
bool cpu_has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

// Returns whether the CPU has all features that Highway's HWY_AVX2 lets the compiler use.
bool cpu_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul") &&
         cpu_has_f16c();
}

#if defined(__linux__) && defined(__x86_64__)
// Returns whether byte tiles (AMX) are available and the operating system saves their state. Requests permission once
// per process; the permission applies to all threads.
bool cpu_has_tiles() {
  constexpr unsigned kTile = 1U << 24, kInt8 = 1U << 25;       // CPUID 7, EDX
  constexpr uint32_t kTileState = 3U << 17;                    // XCR0
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // of arch_prctl
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (edx & kTile) == 0 || (edx & kInt8) == 0) return false;
  uint32_t low = 0, high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileState) == kTileState && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#else
bool cpu_has_tiles() { return false; }
#endif
#elif HWY_ARCH_ARM_A64 && defined(__linux__)
bool cpu_has_dot_products() { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }
#else
bool cpu_has_dot_products() { return false; }
#endif

bool cpu_has(InstructionSet set) {
#if HWY_ARCH_X86
  switch (set) {
    case InstructionSet::kPortable:
      return (HWY_TARGETS & (HWY_EMU128 | HWY_SCALAR)) != 0;
    case InstructionSet::kAvx2:
      return cpu_has_avx2();
    case InstructionSet::kAvx512:
      return cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case InstructionSet::kAvx512Vnni:
      return cpu_has(InstructionSet::kAvx512) && __builtin_cpu_supports("avx512vnni");
    case InstructionSet::kAvx512Amx: {
      static const bool kHasTiles = cpu_has(InstructionSet::kAvx512Vnni) && cpu_has_tiles();
      return kHasTiles;
    }
    default:
      return false;
  }
#else
  constexpr bool kHasNeon = (HWY_TARGETS & HWY_NEON) != 0;
  if (set == InstructionSet::kNeonDotprod) return kHasNeon && cpu_has_dot_products();
  return set == (kHasNeon ? InstructionSet::kNeon : InstructionSet::kPortable);
#endif
}

const std::vector<InstructionSet>& detected() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> found;
    for (int i = kNumInstructionSets - 1; i >= 0; --i)
      if (const auto set = static_cast<InstructionSet>(i); cpu_has(set)) found.push_back(set);
    return found;
  }();
  return sets;
}

InstructionSet initial_instruction_set() {
  if (const char* wanted = std::getenv("NESTRT_ISA")) {
    for (InstructionSet set : detected())
      if (name(set) == wanted) return set;
    std::string message = fmt::format("NESTRT_ISA={} is ignored; this CPU supports:", wanted);
    for (InstructionSet set : detected()) message += fmt::format(" {}", name(set));
    log(LogLevel::kWarning, message);
  }
  return detected().front();
}

std::atomic<InstructionSet>& chosen() {
  static std::atomic<InstructionSet> set{initial_instruction_set()};
  return set;
}

}  // namespace

std::span<const InstructionSet> supported_instruction_sets() { return detected(); }

InstructionSet current_instruction_set() { return chosen().load(std::memory_order_relaxed); }

bool force_instruction_set(InstructionSet set) {
  if (!cpu_has(set)) return false;
  chosen().store(set, std::memory_order_relaxed);
  return true;
}

}  // namespace nestrt::kernels
