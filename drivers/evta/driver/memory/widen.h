// SPDX-License-Identifier: Apache-2.0
// Converts accumulators to f32 from the four bytes that an accelerator with 8-bit results stores one by one:
//
// [4 bytes, least significant first][images][ceil(C / B)][pixels][B], with B = 16 or 32, becomes [images][ceil(C /
// 16)][pixels][16] elements with the value accumulator * scale, as kernels::s8::widen() defines it for power-of-two
// scales.
//
// Both consist of vectors of 16 channels of one pixel. A slice of a tensor with blocks of 16 channels may start and end
// at any vector. With blocks of 32, or with several images, it has whole blocks with all pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nestrt::evta {

constexpr int64_t kLanes = 16;  // channels of a block in the plan

struct Widening {
  int64_t images = 1;
  int64_t pixels = 1;
  int64_t block = 16;        // B
  int64_t first_vector = 0;  // start of the slice within an image
  int64_t vectors = 0;       // number of vectors of the slice in each image
  int64_t channels = 0;      // channels of the whole tensor; lanes after the last one become zero
  // Scales are 2^-(input exponent + weight exponent), with one weight exponent per channel or for all channels. Not
  // owned.
  int input_exponent = 0;
  std::span<const int8_t> exponents;

  uint64_t host_bytes() const { return static_cast<uint64_t>(images * vectors) * 16 * sizeof(float); }
  // Returns the size in bytes of one of the four planes of the slice.
  int64_t plane_bytes() const;
};

void widen(const Widening& shape, const std::byte* from, std::byte* to);

}  // namespace nestrt::evta
