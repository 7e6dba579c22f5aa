// Direct convolution over blocked16 tensors: register tiles of output pixels x output channels, whatever the kernel,
// stride, dilation or padding. For every tap a tile reads each of its pixels through an offset; where a tap falls into
// the padding, it reads zeros. So nothing is copied, and a tile may span rows: a 7 x 7 map is 49 pixels in a row.
//
// Chunks of pixels, as many as leave their inputs in the second-level cache, are taken through all output channels.
#include <algorithm>

#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kChunkInputBytes = 384 * 1024;  // of a second-level cache of 512 KB or more
constexpr int64_t kChunkOffsetBytes = 16 * 1024;

class Direct16 final : public Kernel {
 public:
  explicit Direct16(BlockedConv conv) : conv_(std::move(conv)) {
    const ConvGeometry& g = conv_.geometry;
    // A tile's inputs, counted without what its taps share.
    const int64_t stride = std::min<int64_t>(g.axes[1].stride, 4) * std::min<int64_t>(g.axes[2].stride, 4);
    const int64_t tile_bytes = conv_.limits.points * g.group_inputs() * stride * int64_t{sizeof(float)};
    const int64_t offset_bytes = conv_.limits.points * g.taps() * int64_t{sizeof(int64_t)};
    const int64_t tiles = (g.out_spatial() + conv_.limits.points - 1) / conv_.limits.points;
    chunk_tiles_ = std::clamp<int64_t>(
        std::min(kChunkInputBytes / std::max<int64_t>(tile_bytes, 1), kChunkOffsetBytes / offset_bytes), 1, tiles);
    group_blocks_ = conv_.out_blocks() / g.group;
  }

  void run(const KernelCall& call) const override;
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override {
    return {0, static_cast<size_t>(chunk_tiles_ * conv_.geometry.taps() * conv_.limits.points) * sizeof(int64_t)};
  }

 private:
  struct Task {
    int64_t image, group;
    Range blocks;  // of the group's outputs
    Range pixels;
  };

  void run_task(const KernelCall& call, const Task& task, int64_t* offsets) const;
  void run_chunk(const KernelCall& call, const Task& task, Range pixels, int64_t* offsets) const;
  void fill_offsets(Range pixels, int64_t* offsets) const;

  BlockedConv conv_;
  int64_t chunk_tiles_ = 1;
  int64_t group_blocks_ = 0;
};

// Work is cut along what is larger, outputs or pixels, so that threads share as little as possible of it.
void Direct16::run(const KernelCall& call) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t pixels = g.out_spatial(), images = g.batch * g.group;
  const int64_t reduction = g.group_inputs() * g.taps();
  const int64_t wanted = task_count(images * pixels * g.group_outputs(), reduction, call.parallel->num_threads());
  const int64_t parts = (wanted + images - 1) / images;
  const int64_t block_tiles = (group_blocks_ + conv_.limits.blocks - 1) / conv_.limits.blocks;
  const int64_t pixel_tiles = (pixels + conv_.limits.points - 1) / conv_.limits.points;
  const bool by_blocks = g.group_outputs() * g.taps() > g.in_spatial();
  const int64_t major = std::min(parts, by_blocks ? block_tiles : pixel_tiles);
  const int64_t minor = std::min((parts + major - 1) / major, by_blocks ? pixel_tiles : block_tiles);
  const int64_t block_parts = by_blocks ? major : minor, pixel_parts = by_blocks ? minor : major;
  const size_t slot_bytes = (scratch(1).per_thread + 63) / 64 * 64;
  call.parallel->parallel_for(images * block_parts * pixel_parts, [&](int64_t index, int slot) {
    const int64_t image = index / (block_parts * pixel_parts), part = index % (block_parts * pixel_parts);
    const Task task{image / g.group, image % g.group,
                    part_of(group_blocks_, part / pixel_parts, block_parts, conv_.limits.blocks),
                    part_of(pixels, part % pixel_parts, pixel_parts, conv_.limits.points)};
    run_task(call, task, reinterpret_cast<int64_t*>(call.thread_scratch + static_cast<size_t>(slot) * slot_bytes));
  });
}

void Direct16::run_task(const KernelCall& call, const Task& task, int64_t* offsets) const {
  const int64_t chunk = chunk_tiles_ * conv_.limits.points;
  const int64_t chunks = (task.pixels.size() + chunk - 1) / chunk;
  for (int64_t i = 0; i < chunks; ++i) {
    const Range part = part_of(task.pixels.size(), i, chunks, conv_.limits.points);
    run_chunk(call, task, {task.pixels.first + part.first, task.pixels.first + part.last}, offsets);
  }
}

// Offsets of the tiles of a chunk, one tile after the other: [taps][points of the tile].
void Direct16::fill_offsets(Range pixels, int64_t* offsets) const {
  const auto& [d, h, w] = conv_.geometry.axes;
  const int64_t tiles = (pixels.size() + conv_.limits.points - 1) / conv_.limits.points;
  for (int64_t t = 0; t < tiles; ++t) {
    const Range tile = part_of(pixels.size(), t, tiles);
    const int64_t first = pixels.first + tile.first;
    for (int64_t kd = 0; kd < d.kernel; ++kd)
      for (int64_t kh = 0; kh < h.kernel; ++kh)
        for (int64_t kw = 0; kw < w.kernel; ++kw) {
          int64_t x = first % w.output, y = first / w.output % h.output, z = first / w.output / h.output;
          for (int64_t p = 0; p < tile.size(); ++p) {
            const int64_t iz = tap_position(d, z, kd), iy = tap_position(h, y, kh), ix = tap_position(w, x, kw);
            *offsets++ = (iz | iy | ix) < 0 ? -1 : ((iz * h.input + iy) * w.input + ix) * kTileBlock;
            if (++x < w.output) continue;
            x = 0;
            if (++y == h.output) y = 0, ++z;
          }
        }
  }
}

void Direct16::run_chunk(const KernelCall& call, const Task& task, Range pixels, int64_t* offsets) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t taps = g.taps(), out_spatial = g.out_spatial(), in_spatial = g.in_spatial();
  const int64_t first_block = task.group * group_blocks_;
  fill_offsets(pixels, offsets);
  const float* residual = residual_of(call);
  Tile16 tile;
  tile.segments = taps;
  tile.chunks = (g.group_inputs() + kTileBlock - 1) / kTileBlock;
  tile.chunk_stride = in_spatial * kTileBlock;
  tile.length = kTileBlock;
  tile.last_length = g.group_inputs() - (tile.chunks - 1) * kTileBlock;
  tile.weights_stride = g.group_inputs() * taps * kTileBlock;
  tile.point_stride = kTileBlock;
  tile.block_stride = out_spatial * kTileBlock;
  tile.activation = conv_.activation;
  tile.input = call.input<float>(0) + (task.image * conv_.in_blocks() + task.group * tile.chunks) * tile.chunk_stride;
  const int64_t tiles = (pixels.size() + conv_.limits.points - 1) / conv_.limits.points;
  for (int64_t block = task.blocks.first; block < task.blocks.last; block += conv_.limits.blocks) {
    tile.blocks = std::min(conv_.limits.blocks, task.blocks.last - block);
    tile.weights = conv_.weights.data() + (first_block + block) * tile.weights_stride;
    tile.bias = conv_.block_bias(first_block + block);
    const int64_t plane = (task.image * conv_.out_blocks() + first_block + block) * out_spatial;
    tile.offsets = offsets;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(pixels.size(), t, tiles);
      const int64_t at = (plane + pixels.first + part.first) * kTileBlock;
      tile.points = part.size();
      tile.output = call.output<float>(0) + at;
      tile.residual = residual == nullptr ? nullptr : residual + at;
      conv_.tile(tile);
      tile.offsets += taps * tile.points;
    }
  }
}

}  // namespace

bool accepts_conv_direct16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  if (!g || !accepts_blocked(spec, Layout::kBlocked16, plan::Packing::o16i16)) return false;
  return g->group == 1 || (g->group_inputs() % kTileBlock == 0 && g->group_outputs() % kTileBlock == 0);
}

Result<std::unique_ptr<Kernel>> prepare_conv_direct16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, plan::Packing::o16i16));
  return std::unique_ptr<Kernel>(std::make_unique<Direct16>(std::move(conv)));
}

}  // namespace nestrt::kernels
