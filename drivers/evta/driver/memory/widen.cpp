// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/memory/widen.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nestrt::evta {
namespace {

constexpr int64_t kVectorBytes = kLanes * static_cast<int64_t>(sizeof(float));
constexpr int64_t kLine = 64;     // bytes of a cache line
constexpr int64_t kVectors = 64;  // number of vectors whose bytes are loaded into the cache together
constexpr int64_t kUnrolled = 2;  // number of vectors whose steps are interleaved for in-order cores

// 16 bytes: the register size of NEON and SSE.
using Bytes [[gnu::vector_size(16)]] = uint8_t;
using Halves [[gnu::vector_size(16)]] = uint16_t;
using Words [[gnu::vector_size(16)]] = int32_t;
using Floats [[gnu::vector_size(16)]] = float;

template <typename To>
To load(const void* from) {
  To vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

Halves low_pairs(Bytes even, Bytes odd) {
  return reinterpret_cast<Halves>(
      __builtin_shufflevector(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
}
Halves high_pairs(Bytes even, Bytes odd) {
  return reinterpret_cast<Halves>(
      __builtin_shufflevector(even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
}
template <int kFirst>
Floats join(Halves low, Halves high) {
  const auto words = reinterpret_cast<Words>(__builtin_shufflevector(
      low, high, kFirst, kFirst + 8, kFirst + 1, kFirst + 9, kFirst + 2, kFirst + 10, kFirst + 3, kFirst + 11));
  return __builtin_convertvector(words, Floats);
}

// 16 channels of one pixel, or their scales.
struct Lanes {
  Floats quarters[4];
};

// Returns accumulators whose byte planes are `plane` bytes apart.
inline Lanes accumulators(const std::byte* from, int64_t plane) {
  const Bytes b0 = load<Bytes>(from), b1 = load<Bytes>(from + plane);
  const Bytes b2 = load<Bytes>(from + 2 * plane), b3 = load<Bytes>(from + 3 * plane);
  const Halves low = low_pairs(b0, b1), high = low_pairs(b2, b3);
  const Halves low8 = high_pairs(b0, b1), high8 = high_pairs(b2, b3);
  return {{join<0>(low, high), join<4>(low, high), join<0>(low8, high8), join<4>(low8, high8)}};
}

inline Lanes product(const Lanes& a, const Lanes& b) {
  return {{a.quarters[0] * b.quarters[0], a.quarters[1] * b.quarters[1], a.quarters[2] * b.quarters[2],
           a.quarters[3] * b.quarters[3]}};
}

// Prefetches the cache lines of each plane. The core's prefetcher follows two streams (Cortex-A53 TRM, 6.6.2); four
// planes and a result are too many for it.
void prefetch(const std::byte* from, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += kLine) (void)*static_cast<const volatile std::byte*>(from + at);
}

// Consecutive vectors of one block of channels, `stride` bytes apart.
struct Run {
  const std::byte* from;
  int64_t plane;
  int64_t stride;
  int64_t count;
};

void widen_run(const Run& run, const Lanes& scales, std::byte* to) {
  const std::byte* from = run.from;
  int64_t left = run.count;
  for (; left >= kUnrolled; left -= kUnrolled) {
    const Lanes even = accumulators(from, run.plane), odd = accumulators(from + run.stride, run.plane);
    const Lanes results[] = {product(even, scales), product(odd, scales)};
    std::memcpy(to, results, sizeof results);  // writes whole cache lines, so that none is read before it is written
    from += kUnrolled * run.stride;
    to += kUnrolled * kVectorBytes;
  }
  if (left == 0) return;
  const Lanes last = product(accumulators(from, run.plane), scales);
  std::memcpy(to, &last, sizeof last);
}

void widen_block(Run run, const Lanes& scales, std::byte* to) {
  for (int64_t left = run.count; left > 0; left -= run.count) {
    run.count = std::min(left, kVectors);
    for (int64_t byte = 0; byte < 4; ++byte)
      prefetch(run.from + byte * run.plane, (run.count - 1) * run.stride + kLanes);
    widen_run(run, scales, to);
    run.from += run.count * run.stride;
    to += run.count * kVectorBytes;
  }
}

// Returns 2^-exponent. Larger exponents do not occur.
float scale_of(int exponent) {
  constexpr int kLargest = 96, kBias = 127, kMantissaBits = 23;  // of a float
  return std::bit_cast<float>((kBias - std::clamp(exponent, -kLargest, kLargest)) << kMantissaBits);
}

Lanes scales_of(const Widening& shape, int64_t block) {
  float scales[kLanes] = {};
  for (int64_t lane = 0; lane < std::min(kLanes, shape.channels - block * kLanes); ++lane) {
    const int64_t channel = shape.exponents.size() == 1 ? 0 : block * kLanes + lane;
    scales[lane] = scale_of(shape.input_exponent + shape.exponents[static_cast<size_t>(channel)]);
  }
  return load<Lanes>(scales);
}

}  // namespace

int64_t Widening::plane_bytes() const {
  const int64_t parts = block / kLanes, whole_blocks = (vectors / pixels + parts - 1) / parts;
  return images * kLanes * (parts == 1 ? vectors : whole_blocks * parts * pixels);
}

void widen(const Widening& shape, const std::byte* from, std::byte* to) {
  const int64_t plane = shape.plane_bytes(), parts = shape.block / kLanes;
  for (int64_t image = 0; image < shape.images; ++image)
    for (int64_t at = 0; at < shape.vectors;) {
      const int64_t vector = shape.first_vector + at, block = vector / shape.pixels;
      const int64_t count = std::min(shape.vectors - at, (block + 1) * shape.pixels - vector);
      // Counted in source vectors of 16 channels. A pixel of a wider block consists of several consecutive vectors.
      const int64_t own_block = at / shape.pixels;
      const int64_t first = (own_block / parts * shape.pixels + at % shape.pixels) * parts + own_block % parts;
      const std::byte* source = from + image * plane / shape.images + first * kLanes;
      widen_block({source, plane, shape.block, count}, scales_of(shape, block), to);
      to += count * kVectorBytes;
      at += count;
    }
}

}  // namespace nestrt::evta
