#include "kernels/common/simd.h"

#include <atomic>
#include <cstdlib>
#include <vector>

namespace nestrt::kernels {
namespace {

bool cpu_has(Isa isa) {
#if HWY_ARCH_X86
  switch (isa) {
    case Isa::kPortable: return (HWY_TARGETS & (HWY_EMU128 | HWY_SCALAR)) != 0;
    case Isa::kAvx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
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
