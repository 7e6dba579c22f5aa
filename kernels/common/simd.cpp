#include "kernels/common/simd.h"

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "nestrt/log.h"

namespace nestrt::kernels {
namespace {

#if HWY_ARCH_X86
// Not every compiler's __builtin_cpu_supports() knows the name.
bool cpu_has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

// What Highway's HWY_AVX2 lets the compiler use.
bool cpu_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul") &&
         cpu_has_f16c();
}
#endif

bool cpu_has(Isa isa) {
#if HWY_ARCH_X86
  switch (isa) {
    case Isa::kPortable: return (HWY_TARGETS & (HWY_EMU128 | HWY_SCALAR)) != 0;
    case Isa::kAvx2: return cpu_has_avx2();
    case Isa::kAvx512:
      return cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case Isa::kNeon: return false;
  }
  return false;
#else
  return isa == ((HWY_TARGETS & HWY_NEON) != 0 ? Isa::kNeon : Isa::kPortable);
#endif
}

const std::vector<Isa>& detected() {
  static const std::vector<Isa> isas = [] {
    std::vector<Isa> found;
    for (Isa isa : {Isa::kAvx512, Isa::kAvx2, Isa::kNeon, Isa::kPortable})
      if (cpu_has(isa)) found.push_back(isa);
    return found;
  }();
  return isas;
}

Isa initial_isa() {
  if (const char* wanted = std::getenv("NESTRT_ISA")) {
    for (Isa isa : detected())
      if (name(isa) == wanted) return isa;
    std::string message = std::string("NESTRT_ISA=") + wanted + " is ignored; this CPU has:";
    for (Isa isa : detected()) message.append(" ").append(name(isa));
    log(LogLevel::kWarning, message);
  }
  return detected().front();
}

std::atomic<Isa>& chosen() {
  static std::atomic<Isa> isa{initial_isa()};
  return isa;
}

}  // namespace

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::kPortable: return "portable";
    case Isa::kNeon: return "neon";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvx512: return "avx512";
  }
  return "?";
}

std::span<const Isa> supported_isas() { return detected(); }

Isa current_isa() { return chosen().load(std::memory_order_relaxed); }

bool force_isa(Isa isa) {
  if (!cpu_has(isa)) return false;
  chosen().store(isa, std::memory_order_relaxed);
  return true;
}

}  // namespace nestrt::kernels
