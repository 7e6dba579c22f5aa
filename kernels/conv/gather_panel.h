// Panels of input elements for convolutions as matrix products: for 16 outputs side by side, what each of them reads
// through each tap, channel after channel.
#pragma once

#include <cstdint>

#include "kernels/common/tile16.h"

namespace nestrt::kernels {

// `offsets` holds [taps][16] elements within a channel's plane, negative for padding; planes are `spatial` apart.
// Writes [channels][taps][16].
inline void gather_panel(const float* input, int64_t channels, int64_t spatial, const int64_t* offsets, int64_t taps,
                         float* panel) {
  for (int64_t c = 0; c < channels; ++c, input += spatial)
    for (int64_t i = 0; i < taps * kTileBlock; ++i) *panel++ = offsets[i] < 0 ? 0.0f : input[offsets[i]];
}

}  // namespace nestrt::kernels
