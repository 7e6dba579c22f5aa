// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/conv_rows.h"

#include <algorithm>

#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/math/saturate.h"

namespace nestrt::kernels {

bool has_rows(const ConvGeometry& g) {
  const ConvAxis& depth = g.axes[0];
  const auto is_whole = [](const ConvAxis& axis) { return axis.pad_begin >= 0 && axis.pad_end >= 0; };
  return depth.input == 1 && depth.output == 1 && depth.kernel == 1 && is_whole(g.axes[1]) && is_whole(g.axes[2]) &&
         g.output.num_elements() > 0 && g.in_spatial() > 0;
}

bool reads_own_pixels(const ConvGeometry& g) {
  return std::ranges::all_of(g.axes, [](const ConvAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.output == axis.input;
  });
}

RowGeometry blocked_rows(const ConvGeometry& g, int64_t element_bytes) {
  const auto& [d, h, w] = g.axes;
  const int64_t pixel_bytes = kTileBlock * element_bytes;
  return {{g.batch, ceil_div(g.in_channels, kTileBlock), h.input, w.input * pixel_bytes},
          {g.batch, ceil_div(g.out_channels, kTileBlock), h.output, w.output * pixel_bytes},
          h.kernel,
          h.stride,
          h.dilation,
          h.pad_begin};
}

RowGeometry image_rows(const ConvGeometry& g, int64_t element_bytes) {
  RowGeometry rows = blocked_rows(g, element_bytes);
  rows.input.blocks = g.in_channels;
  rows.input.row_bytes = g.axes[2].input * element_bytes;
  return rows;
}

ConvGeometry geometry_of_rows(const ConvGeometry& geometry, const RowCall& call) {
  ConvGeometry part = geometry;
  ConvAxis& height = part.axes[1];
  part.batch = 1;
  height.input = call.input_rows.count;
  height.output = call.rows.count;
  height.pad_begin += call.input_rows.first - call.rows.first * height.stride;
  return part;
}

DirectChunk chunk_of_rows(const ConvGeometry& g, const RowCall& call) {
  auto* const offsets = reinterpret_cast<int64_t*>(call.scratch);
  const int64_t pixels = call.rows.count * g.axes[2].output;
  for (int64_t i = 0; i < pixels; ++i) offsets[i] = i * kTileBlock;
  DirectChunk chunk;
  chunk.blocks = {0, ceil_div(g.out_channels, kTileBlock)};
  chunk.pixels = {0, pixels};
  chunk.offsets = offsets;
  return chunk;
}

size_t pixel_offsets_bytes(const ConvGeometry& g, int64_t rows) {
  return saturated_bytes(rows, g.axes[2].output, sizeof(int64_t));
}

}  // namespace nestrt::kernels
