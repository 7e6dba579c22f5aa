// The s8 tile with AVX-512 VNNI: vpdpbusd multiplies unsigned with signed bytes, so inputs get their sign bit flipped,
// which adds 128.
#include "kernels/common/s8_tile.h"

#if HWY_ARCH_X86
#include <immintrin.h>

#include <cstring>

#include "hwy/base.h"

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#include "kernels/common/s8_tile-inl.h"

namespace nestrt::kernels {
namespace {

struct Vnni {
  static constexpr int kBlocks = 2, kPoints = 14, kStep = 4;
  static constexpr int32_t kInputOffset = 128;
  static constexpr bool kTakesLowest = true;
  using Weights = __m512i;
  using Input = __m512i;
  using Sums = __m512i;

  static HWY_INLINE Weights load_weights(const int8_t* from) { return _mm512_loadu_si512(from); }
  static HWY_INLINE Input load_input(const int8_t* from) {
    int32_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return _mm512_xor_si512(_mm512_set1_epi32(bytes), _mm512_set1_epi32(static_cast<int32_t>(0x80808080)));
  }
  static HWY_INLINE void clear(Sums& sums) { sums = _mm512_setzero_si512(); }
  static HWY_INLINE void add(Sums& sums, const Input& x, const Weights& w) { sums = _mm512_dpbusd_epi32(sums, x, w); }
  static HWY_INLINE void store(const Sums& sums, const int32_t* start, int32_t* to) {
    _mm512_storeu_si512(to, _mm512_add_epi32(sums, _mm512_loadu_si512(start)));
  }
};

}  // namespace

constinit const std::array<S8TileKernel, 1> kS8TileVnni = {s8_tile_kernel_of<Vnni>("avx512vnni")};

}  // namespace nestrt::kernels
HWY_POP_ATTRIBUTES
#endif
