// The portable form of the s8 tile, and the choice among all of them.
#include "kernels/common/s8_tile.h"

#include <array>
#include <vector>

#include "kernels/common/s8_tile-inl.h"

#if HWY_ARCH_ARM_A64 && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace nestrt::kernels {
namespace {

struct Portable {
  static constexpr int kBlocks = 1, kPoints = 2, kStep = 4;
  static constexpr int32_t kInputOffset = 0;
  static constexpr bool kTakesLowest = true;
  using Weights = const int8_t*;
  using Input = const int8_t*;
  struct Sums {
    uint32_t v[kTileBlock];  // unsigned, which wraps
  };

  static Weights load_weights(const int8_t* from) { return from; }
  static Input load_input(const int8_t* from) { return from; }
  static void clear(Sums& sums) { sums = {}; }
  static void add(Sums& sums, const Input& x, const Weights& w) {
    for (int o = 0; o < kTileBlock; ++o)
      for (int i = 0; i < kStep; ++i) sums.v[o] += static_cast<uint32_t>(x[i] * w[o * kStep + i]);
  }
  static void store(const Sums& sums, const int32_t* start, int32_t* to) {
    for (int o = 0; o < kTileBlock; ++o) to[o] = static_cast<int32_t>(sums.v[o] + static_cast<uint32_t>(start[o]));
  }
};

bool has_dot_products(Isa isa) {
#if HWY_ARCH_X86
  return isa == Isa::kAvx512 && __builtin_cpu_supports("avx512vnni");
#elif HWY_ARCH_ARM_A64 && defined(__linux__)
  return isa == Isa::kNeon && (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return isa != isa;
#endif
}

std::vector<S8TileKernel> find_kernels(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return has_dot_products(isa) ? std::vector{s8_tile_vnni(), s8_tile_avx512()} : std::vector{s8_tile_avx512()};
    case Isa::kAvx2:
      return {s8_tile_avx2()};
    case Isa::kNeon:
      return has_dot_products(isa) ? std::vector{s8_tile_dotprod(), s8_tile_neon_pairs(), s8_tile_neon()}
                                   : std::vector{s8_tile_neon_pairs(), s8_tile_neon()};
    case Isa::kPortable:
      break;
  }
  return {s8_tile_kernel_of<Portable>("portable")};
}

}  // namespace

std::span<const S8TileKernel> s8_tile_kernels(Isa isa) {
  static const std::array<std::vector<S8TileKernel>, kNumIsas> kernels = {
      find_kernels(Isa::kPortable), find_kernels(Isa::kNeon), find_kernels(Isa::kAvx2), find_kernels(Isa::kAvx512)};
  return kernels[static_cast<size_t>(isa)];
}

const S8TileKernel& s8_tile_kernel(std::span<const int8_t> weights) {
  const std::span<const S8TileKernel> kernels = s8_tile_kernels(current_isa());
  return kernels[0].takes_lowest || !s8_lowest_meet(weights) ? kernels[0] : kernels.back();
}

bool s8_lowest_meet(std::span<const int8_t> weights, size_t apart) {
  uint8_t meet = 0;  // a byte, as the weights: so compilers vectorize the loop
  for (size_t i = 0; i + 2 * apart <= weights.size() && meet == 0; i += 2 * apart)
    for (size_t k = i; k < i + apart; ++k) meet |= (weights[k] == -128) & (weights[k + apart] == -128);
  return meet != 0;
}

}  // namespace nestrt::kernels
