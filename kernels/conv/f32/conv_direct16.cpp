// SPDX-License-Identifier: Apache-2.0
// Direct convolution over blocked16 tensors: register tiles of output pixels x output channels for any kernel, stride,
// dilation or padding. See kernels/conv/direct_tasks.h for how they cover the output.
#include <algorithm>

#include "kernels/common/math/integers.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_rows.h"
#include "kernels/conv/direct_tasks.h"

namespace nestrt::kernels {
namespace {

// The input and output pixels of an image, in blocks of channels.
struct Pixels {
  const float* input = nullptr;
  int64_t input_stride = 0;  // between blocks
  float* output = nullptr;
  const float* residual = nullptr;  // or null
  int64_t output_stride = 0;        // also of the residual
};

class Direct16 final : public Kernel, public WindowRows {
 public:
  explicit Direct16(BlockedConv conv)
      : WindowRows(blocked_rows(conv.geometry, sizeof(float))),
        conv_(std::move(conv)),
        tasks_(conv_.geometry, conv_.limits, int64_t{sizeof(float)}),
        evenly_spaced_(reads_own_pixels(conv_.geometry)) {}

  void run(const KernelCall& call) const override {
    tasks_.run(conv_.geometry, call, [&](const DirectChunk& chunk) { run_chunk(pixels_of(call, chunk), chunk); });
  }
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override { return {0, tasks_.scratch_bytes()}; }
  const RowKernel* by_rows() const override {
    return evenly_spaced_ && conv_.geometry.group == 1 && has_rows(conv_.geometry) ? this : nullptr;
  }

  size_t row_scratch(int64_t rows) const override { return pixel_offsets_bytes(conv_.geometry, rows); }
  void run_rows(const RowCall& call) const override;

 private:
  Pixels pixels_of(const KernelCall& call, const DirectChunk& chunk) const;
  void run_chunk(const Pixels& pixels, const DirectChunk& chunk) const;

  BlockedConv conv_;
  DirectTasks tasks_;
  bool evenly_spaced_;
};

Pixels Direct16::pixels_of(const KernelCall& call, const DirectChunk& chunk) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t first_in = chunk.image * conv_.in_blocks() + chunk.group * ceil_div(g.group_inputs(), kTileBlock);
  const int64_t first_out = chunk.image * conv_.out_blocks() + chunk.group * tasks_.group_blocks();
  Pixels pixels;
  pixels.input_stride = g.in_spatial() * kTileBlock;
  pixels.output_stride = g.out_spatial() * kTileBlock;
  pixels.input = call.input<float>(0) + first_in * pixels.input_stride;
  pixels.output = call.output<float>(0) + first_out * pixels.output_stride;
  const float* const residual = residual_of(call);
  if (residual != nullptr) pixels.residual = residual + first_out * pixels.output_stride;
  return pixels;
}

void Direct16::run_rows(const RowCall& call) const {
  Pixels pixels;
  pixels.input = reinterpret_cast<const float*>(call.input);
  pixels.input_stride = call.input_block_bytes / int64_t{sizeof(float)};
  pixels.output = reinterpret_cast<float*>(call.output);
  pixels.residual = reinterpret_cast<const float*>(call.residual);
  pixels.output_stride = call.output_block_bytes / int64_t{sizeof(float)};
  run_chunk(pixels, chunk_of_rows(conv_.geometry, call));
}

void Direct16::run_chunk(const Pixels& pixels, const DirectChunk& chunk) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t taps = g.taps();
  const int64_t first_block = chunk.group * tasks_.group_blocks();
  Tile16 tile;
  tile.segments = taps;
  tile.chunks = ceil_div(g.group_inputs(), kTileBlock);
  tile.chunk_stride = pixels.input_stride;
  tile.evenly_spaced = evenly_spaced_;
  tile.length = kTileBlock;
  tile.last_length = g.group_inputs() - (tile.chunks - 1) * kTileBlock;
  tile.weights_stride = g.group_inputs() * taps * kTileBlock;
  tile.point_stride = kTileBlock;
  tile.block_stride = pixels.output_stride;
  tile.activation = conv_.activation;
  tile.input = pixels.input;
  const int64_t tiles = chunk.tiles(conv_.limits.points);
  for (int64_t block = chunk.blocks.first; block < chunk.blocks.last; block += conv_.limits.blocks) {
    tile.blocks = std::min(conv_.limits.blocks, chunk.blocks.last - block);
    tile.weights = conv_.weights.data() + (first_block + block) * tile.weights_stride;
    tile.bias = conv_.block_bias(first_block + block);
    const bool has_next = block + conv_.limits.blocks < chunk.blocks.last;
    const float* next = has_next ? tile.weights + conv_.limits.blocks * tile.weights_stride : nullptr;
    tile.offsets = chunk.offsets;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = chunk.tile(t, conv_.limits);
      const int64_t at = block * pixels.output_stride + (chunk.pixels.first + part.first) * kTileBlock;
      tile.points = part.size();
      tile.output = pixels.output + at;
      tile.residual = pixels.residual == nullptr ? nullptr : pixels.residual + at;
      set_prefetch(tile, next, tile.weights_stride, t, tiles);
      conv_.tile(tile);
      tile.offsets += taps * tile.points;
    }
  }
}

}  // namespace

bool accepts_conv_direct16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  if (!g || !accepts_blocked(spec, Layout::kBlocked16, Packing::kO16i16)) return false;
  return g->group == 1 || (g->group_inputs() % kTileBlock == 0 && g->group_outputs() % kTileBlock == 0);
}

Result<std::unique_ptr<Kernel>> prepare_conv_direct16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, Packing::kO16i16));
  return std::unique_ptr<Kernel>(std::make_unique<Direct16>(std::move(conv)));
}

}  // namespace nestrt::kernels
