// SPDX-License-Identifier: Apache-2.0
// The portable s8 tile, and the selection of the implementation.
#include "kernels/common/gemm_s8/s8_tile.h"

#include <cstring>

#include "kernels/common/gemm_s8/s8_tile-inl.h"
#include "kernels/common/simd/matrix_products.h"

namespace nestrt::kernels {
namespace {

struct Portable {
  static constexpr int kBlocks = 1, kPoints = 2, kStep = 4;
  static constexpr int32_t kInputOffset = 0;
  static constexpr bool kSupportsPairedMinima = true;
  using Weights = const int8_t*;
  using Input = const int8_t*;
  struct Sums {
    uint32_t v[kTileBlock];  // unsigned arithmetic wraps
  };

  static Weights load_weights(const int8_t* from) { return from; }
  static Input load_input(const int8_t* from) { return from; }
  static void begin(Sums& sums, const int32_t*) { sums = {}; }
  static void add(Sums& sums, const Input& x, const Weights& w) {
    for (int o = 0; o < kTileBlock; ++o)
      for (int i = 0; i < kStep; ++i) sums.v[o] += static_cast<uint32_t>(x[i] * w[o * kStep + i]);
  }
  static void store(const Sums& sums, const int32_t* start, int32_t* to) {
    for (int o = 0; o < kTileBlock; ++o) to[o] = static_cast<int32_t>(sums.v[o] + static_cast<uint32_t>(start[o]));
  }
};

constexpr S8TileKernel kS8TilePortable[] = {s8_tile_kernel_of<Portable>("portable")};

}  // namespace

std::span<const S8TileKernel> s8_tile_kernels(InstructionSet set) {
  switch (set) {
#if HWY_ARCH_X86
    case InstructionSet::kAvx512Amx:
    case InstructionSet::kAvx512Vnni:
      return kS8TileVnni;
    case InstructionSet::kAvx512:
      return kS8TileAvx512;
    case InstructionSet::kAvx2:
      return kS8TileAvx2;
#elif HWY_ARCH_ARM_A64
    case InstructionSet::kNeonDotprod:
      if (use_matrix_products()) return kS8TileI8mm;
      return kS8TileDotprod;
    case InstructionSet::kNeon:
      return kS8TileNeon;
#endif
    case InstructionSet::kPortable:
      return kS8TilePortable;
    default:
      return {};
  }
}

const S8TileKernel& s8_tile_kernel(std::span<const int8_t> weights) {
  const std::span<const S8TileKernel> kernels = s8_tile_kernels(current_instruction_set());
  return kernels[0].supports_paired_minima || !s8_has_paired_minima(weights) ? kernels[0] : kernels.back();
}

bool s8_has_paired_minima(std::span<const int8_t> weights, size_t distance) {
  uint8_t found = 0;  // a byte, like the weights, so that compilers vectorize the loop
  for (size_t i = 0; i + 2 * distance <= weights.size() && found == 0; i += 2 * distance)
    for (size_t k = i; k < i + distance; ++k)
      found |= uint8_t{weights[k] == -128} & uint8_t{weights[k + distance] == -128};
  return found != 0;
}

void pair_s8_weights(const int8_t* from, int64_t bytes, int8_t* to) {
  constexpr int64_t kQuad = 4, kOctet = 2 * kQuad;
  for (int64_t i = 0; i < bytes; i += kOctet * kTileBlock)
    for (int64_t o = 0; o < kTileBlock; ++o)
      for (int64_t half = 0; half < 2; ++half)
        std::memcpy(to + i + o * kOctet + half * kQuad, from + i + (half * kTileBlock + o) * kQuad, kQuad);
}

}  // namespace nestrt::kernels
