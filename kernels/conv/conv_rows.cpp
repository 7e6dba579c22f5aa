#include "kernels/conv/conv_rows.h"

#include <algorithm>
#include <limits>

#include "kernels/common/integers.h"
#include "kernels/common/saturate.h"
#include "kernels/common/tile16.h"

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

RowImages row_input_of(const ConvGeometry& g, int64_t element_bytes) {
  return {g.batch, ceil_div(g.in_channels, kTileBlock), g.axes[1].input, g.axes[2].input * kTileBlock * element_bytes};
}

RowImages row_output_of(const ConvGeometry& g, int64_t element_bytes) {
  return {g.batch, ceil_div(g.out_channels, kTileBlock), g.axes[1].output,
          g.axes[2].output * kTileBlock * element_bytes};
}

int64_t most_input_rows(const ConvGeometry& g, int64_t rows) {
  const ConvAxis& height = g.axes[1];
  int64_t most = 0;
  const bool overflow = __builtin_mul_overflow(rows - 1, height.stride, &most) ||
                        __builtin_add_overflow(most, (height.kernel - 1) * height.dilation + 1, &most);
  return std::min(overflow ? std::numeric_limits<int64_t>::max() : most, height.input);
}

RowWindow input_rows(const ConvGeometry& g, RowWindow rows) {
  const ConvAxis& height = g.axes[1];
  const int64_t begin = rows.first * height.stride - height.pad_begin;
  const int64_t end =
      (rows.first + rows.count - 1) * height.stride - height.pad_begin + (height.kernel - 1) * height.dilation + 1;
  const int64_t first = std::clamp<int64_t>(begin, 0, height.input);
  return {first, std::clamp<int64_t>(end, first, height.input) - first};
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
