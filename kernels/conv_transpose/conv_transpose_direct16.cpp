// SPDX-License-Identifier: Apache-2.0
// Transposed convolution over blocked16 tensors: each phase is computed in register tiles of output pixels x output
// channels, as in conv.f32.direct16. The pixels of a tile are in one row of a phase, so tiles store them at a distance
// of the stride.
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_f32/tile16.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/conv_transpose/blocked.h"
#include "kernels/conv_transpose/conv_transpose.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kOffsetBytes = 32 * 1024;  // bytes of offsets of a chunk of rows, so that they stay in the
                                             // first-level cache

class Direct16 final : public Kernel {
 public:
  explicit Direct16(BlockedTranspose conv)
      : conv_(std::move(conv)), tile_(tile16_function()), limits_(tile16_limits()) {
    const int64_t row_bytes = max_taps() * conv_.max_outputs(2) * int64_t{sizeof(int64_t)};
    chunk_rows_ = std::clamp<int64_t>(kOffsetBytes / std::max<int64_t>(row_bytes, 1), 1,
                                      std::max<int64_t>(1, conv_.max_outputs(1)));
  }

  void run(const KernelCall& call) const override;
  ScratchSize scratch(int) const override {
    return {0, static_cast<size_t>(chunk_rows_ * conv_.max_outputs(2) * max_taps()) * sizeof(int64_t)};
  }

 private:
  // Rows of a phase at one depth, for some blocks of outputs of a group.
  struct Chunk {
    int64_t image = 0, group = 0, depth = 0;
    Range rows, blocks;
  };

  int64_t max_taps() const;
  int64_t group_blocks() const { return ceil_div(conv_.geometry.out_channels, kTileBlock) / conv_.geometry.group; }
  void fill_offsets(const Phase& phase, const Chunk& chunk, int64_t* offsets) const;
  void run_chunk(const KernelCall& call, const BlockedPhase& phase, const Chunk& chunk, int64_t* offsets) const;
  void run_row(Tile16 tile, const BlockedPhase& phase, const KernelCall& call, int64_t at,
               const int64_t* offsets) const;

  BlockedTranspose conv_;
  Tile16Function tile_;
  TileLimits limits_;
  int64_t chunk_rows_ = 1;
};

int64_t Direct16::max_taps() const {
  int64_t most = 1;
  for (const BlockedPhase& phase : conv_.phases) most = std::max(most, phase.taps());
  return most;
}

void Direct16::run(const KernelCall& call) const {
  const ConvGeometry& g = conv_.geometry;
  conv_.fill_gaps(call);
  for (const BlockedPhase& phase : conv_.phases) {
    const auto &d = phase.axes[0], &h = phase.axes[1], &w = phase.axes[2];
    const int64_t planes = g.batch * g.group * d.outputs;
    const int64_t wanted = ceil_div(task_count(planes * h.outputs * w.outputs * g.group_outputs(),
                                               g.group_inputs() * phase.taps(), call.parallel->num_threads()),
                                    planes);
    const int64_t row_parts = std::min(h.outputs, std::max(wanted, ceil_div(h.outputs, chunk_rows_)));
    const int64_t block_parts = std::min(ceil_div(wanted, row_parts), ceil_div(group_blocks(), limits_.blocks));
    call.parallel->parallel_for(planes * row_parts * block_parts, [&](int64_t index, int slot) {
      const int64_t part = index % (row_parts * block_parts), plane = index / (row_parts * block_parts);
      const Chunk chunk{plane / d.outputs / g.group, plane / d.outputs % g.group, plane % d.outputs,
                        part_of(h.outputs, part % row_parts, row_parts),
                        part_of(group_blocks(), part / row_parts, block_parts, limits_.blocks)};
      run_chunk(call, phase, chunk, call.slot_scratch<int64_t>(slot, scratch(1).per_thread));
    });
  }
}

// Writes the input offsets of each tile: [rows][tiles of a row][taps][points]. Offsets outside the input are negative.
void Direct16::fill_offsets(const Phase& phase, const Chunk& chunk, int64_t* offsets) const {
  const auto& [d, h, w] = phase;
  const auto& [depth, height, width] = conv_.geometry.axes;
  const int64_t tiles = ceil_div(w.outputs, limits_.points);
  for (int64_t row = chunk.rows.first; row < chunk.rows.last; ++row)
    for (int64_t t = 0; t < tiles; ++t) {
      const Range points = part_of(w.outputs, t, tiles, limits_.grain);
      for (int64_t kd = 0; kd < d.taps.taps; ++kd)
        for (int64_t kh = 0; kh < h.taps.taps; ++kh)
          for (int64_t kw = 0; kw < w.taps.taps; ++kw) {
            const int64_t z = d.taps.source(chunk.depth, kd), y = h.taps.source(row, kh);
            const bool inside = z >= 0 && z < depth.input && y >= 0 && y < height.input;
            const int64_t line = (z * height.input + y) * width.input;
            for (int64_t j = points.first; j < points.last; ++j) {
              const int64_t x = w.taps.source(j, kw);
              *offsets++ = inside && x >= 0 && x < width.input ? (line + x) * kTileBlock : -1;
            }
          }
    }
}

void Direct16::run_chunk(const KernelCall& call, const BlockedPhase& phase, const Chunk& chunk,
                         int64_t* offsets) const {
  const ConvGeometry& g = conv_.geometry;
  const auto& [d, h, w] = phase.axes;
  const int64_t in_blocks = ceil_div(g.group_inputs(), kTileBlock);
  fill_offsets(phase.axes, chunk, offsets);
  Tile16 tile;
  tile.segments = phase.taps();
  tile.chunks = in_blocks;
  tile.chunk_stride = g.in_spatial() * kTileBlock;
  tile.input = call.input<float>(0) + (chunk.image * g.group + chunk.group) * in_blocks * tile.chunk_stride;
  tile.length = kTileBlock;
  tile.last_length = g.group_inputs() - (in_blocks - 1) * kTileBlock;
  tile.weights_stride = g.group_inputs() * phase.taps() * kTileBlock;
  tile.point_stride = g.axes[2].stride * kTileBlock;
  tile.block_stride = g.out_spatial() * kTileBlock;
  tile.activation = conv_.activation;
  const int64_t z = chunk.depth * g.axes[0].stride + d.phase;
  for (int64_t block = chunk.blocks.first; block < chunk.blocks.last; block += limits_.blocks) {
    const int64_t out_block = chunk.group * group_blocks() + block;
    tile.blocks = std::min(limits_.blocks, chunk.blocks.last - block);
    tile.weights = phase.weights + out_block * tile.weights_stride;
    tile.bias = conv_.bias.data() == nullptr ? nullptr : conv_.bias.data() + out_block * kTileBlock;
    for (int64_t row = chunk.rows.first; row < chunk.rows.last; ++row) {
      const int64_t y = row * g.axes[1].stride + h.phase;
      const int64_t line = (z * g.axes[1].output + y) * g.axes[2].output + w.phase;
      const int64_t at = (chunk.image * group_blocks() * g.group + out_block) * tile.block_stride + line * kTileBlock;
      run_row(tile, phase, call, at, offsets + (row - chunk.rows.first) * w.outputs * phase.taps());
    }
  }
}

// `at`: the index of the first output of the row.
void Direct16::run_row(Tile16 tile, const BlockedPhase& phase, const KernelCall& call, int64_t at,
                       const int64_t* offsets) const {
  const int64_t outputs = phase.axes[2].outputs, tiles = ceil_div(outputs, limits_.points);
  const float* const residual = call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
  tile.offsets = offsets;
  for (int64_t t = 0; t < tiles; ++t) {
    const Range points = part_of(outputs, t, tiles, limits_.grain);
    const int64_t first = at + points.first * tile.point_stride;
    tile.points = points.size();
    tile.output = call.output<float>(0) + first;
    tile.residual = residual == nullptr ? nullptr : residual + first;
    tile_(tile);
    tile.offsets += tile.segments * tile.points;
  }
}

}  // namespace

bool accepts_conv_transpose_direct16(const OperatorSpec& spec) {
  if (!accepts_blocked_transpose(spec)) return false;
  const Result<ConvGeometry> g = conv_transpose_geometry(spec);
  if (!g || g->out_channels * 2 < round_up(g->out_channels, kTileBlock)) return false;
  return g->group == 1 || (g->group_inputs() % kTileBlock == 0 && g->group_outputs() % kTileBlock == 0);
}

Result<std::unique_ptr<Kernel>> prepare_conv_transpose_direct16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedTranspose conv, make_blocked_transpose(spec));
  return std::unique_ptr<Kernel>(std::make_unique<Direct16>(std::move(conv)));
}

}  // namespace nestrt::kernels
