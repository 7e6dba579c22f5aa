// Direct convolution over blocked16 tensors: register tiles of output pixels x output channels, whatever the kernel,
// stride, dilation or padding. kernels/conv/direct_tasks.h says how they cover the output.
#include <algorithm>

#include "kernels/common/integers.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/direct_tasks.h"

namespace nestrt::kernels {
namespace {

class Direct16 final : public Kernel {
 public:
  explicit Direct16(BlockedConv conv)
      : conv_(std::move(conv)), tasks_(conv_.geometry, conv_.limits, int64_t{sizeof(float)}) {
    in_line_ = std::ranges::all_of(conv_.geometry.axes, [](const ConvAxis& axis) {
      return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.output == axis.input;
    });
  }

  void run(const KernelCall& call) const override {
    tasks_.run(conv_.geometry, call, [&](const DirectChunk& chunk) { run_chunk(call, chunk); });
  }
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override { return {0, tasks_.scratch_bytes()}; }

 private:
  void run_chunk(const KernelCall& call, const DirectChunk& chunk) const;

  BlockedConv conv_;
  DirectTasks tasks_;
  bool in_line_;  // each output reads the input at its own place
};

void Direct16::run_chunk(const KernelCall& call, const DirectChunk& chunk) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t taps = g.taps(), out_spatial = g.out_spatial(), in_spatial = g.in_spatial();
  const int64_t first_block = chunk.group * tasks_.group_blocks();
  const float* residual = residual_of(call);
  Tile16 tile;
  tile.segments = taps;
  tile.chunks = ceil_div(g.group_inputs(), kTileBlock);
  tile.chunk_stride = in_spatial * kTileBlock;
  tile.in_line = in_line_;
  tile.length = kTileBlock;
  tile.last_length = g.group_inputs() - (tile.chunks - 1) * kTileBlock;
  tile.weights_stride = g.group_inputs() * taps * kTileBlock;
  tile.point_stride = kTileBlock;
  tile.block_stride = out_spatial * kTileBlock;
  tile.activation = conv_.activation;
  tile.input = call.input<float>(0) + (chunk.image * conv_.in_blocks() + chunk.group * tile.chunks) * tile.chunk_stride;
  const int64_t tiles = chunk.tiles(conv_.limits.points);
  for (int64_t block = chunk.blocks.first; block < chunk.blocks.last; block += conv_.limits.blocks) {
    tile.blocks = std::min(conv_.limits.blocks, chunk.blocks.last - block);
    tile.weights = conv_.weights.data() + (first_block + block) * tile.weights_stride;
    tile.bias = conv_.block_bias(first_block + block);
    const int64_t plane = (chunk.image * conv_.out_blocks() + first_block + block) * out_spatial;
    const bool has_next = block + conv_.limits.blocks < chunk.blocks.last;
    const float* next = has_next ? tile.weights + conv_.limits.blocks * tile.weights_stride : nullptr;
    tile.offsets = chunk.offsets;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = chunk.tile(t, conv_.limits);
      const int64_t at = (plane + chunk.pixels.first + part.first) * kTileBlock;
      tile.points = part.size();
      tile.output = call.output<float>(0) + at;
      tile.residual = residual == nullptr ? nullptr : residual + at;
      look_ahead(tile, next, tile.weights_stride, t, tiles);
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
