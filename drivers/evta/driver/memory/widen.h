// Accumulators as f32, from the four bytes of each that an accelerator of 8-bit results stores one by one:
//
// [4 bytes, the least significant first][images][ceil(C / B)][pixels][B], B being 16 or 32, become
// [images][ceil(C / 16)][pixels][16] elements, each accumulator * scale, as kernels::s8::widen() defines it for scales
// that are powers of two.
//
// Both lie in vectors of 16 channels of one pixel. A part of a tensor with blocks of 16 channels may begin and end
// with any of them; where blocks have 32, or there are several images, it has whole blocks of all pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nestrt::evta {

constexpr int64_t kLanes = 16;  // channels of a block of the plan's

struct Widening {
  int64_t images = 1;
  int64_t pixels = 1;
  int64_t block = 16;        // B
  int64_t first_vector = 0;  // of an image's; where the part begins
  int64_t vectors = 0;       // of the part, in each image
  int64_t channels = 0;      // of the whole tensor; lanes past the last become zero
  // Scales are 2^-(input + that of the weights): one exponent for each channel, or for all. Not owned.
  int input_exponent = 0;
  std::span<const int8_t> exponents;

  uint64_t host_bytes() const { return static_cast<uint64_t>(images * vectors) * 16 * sizeof(float); }
  // Of one of the four: what the accelerator has of the part.
  int64_t plane_bytes() const;
};

void widen(const Widening& shape, const std::byte* from, std::byte* to);

}  // namespace nestrt::evta
