// SPDX-License-Identifier: Apache-2.0
// Winograd convolution over blocked16 tensors on CPUs with wide vectors and a large second-level cache. A task computes
// a range of tiles and output blocks. It transforms the inputs of a chunk of tiles, [36][input blocks][tiles][16]. For
// each pair of output blocks, it then computes 36 matrix products, [36][2][tiles][16], and transforms them back. All
// data stays in the cache of the core, and no task waits for another.
#include <algorithm>

#include "hwy/detect_targets.h"
#include "kernels/common/math/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/winograd/winograd.h"
#include "kernels/conv/winograd/winograd_wide.h"
#include "runtime/kernel/packing.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kKernel = 3, kTile = 4, kSide = 6;  // outputs and inputs of a tile along an axis
static_assert(kSide * kSide == kWinogradPositions);

int64_t tile_rows(const ConvGeometry& g) { return ceil_div(g.axes[1].output, kTile); }
int64_t tile_columns(const ConvGeometry& g) { return ceil_div(g.axes[2].output, kTile); }

// Compares estimated cycles on a core with 32 multiply-adds per cycle. The constants are measured; they cover products,
// reading weights from the third-level cache, and transforming elements. Transformed weights take four times the
// memory, so the gain must exceed the error of the estimate.
bool is_faster(const ConvGeometry& g) {
  constexpr double kProduct = 1.0 / 26, kWeight = 0.5, kElement = 0.3, kGain = 0.85;
  const auto pairs = static_cast<double>(g.in_channels) * static_cast<double>(g.out_channels);
  const auto channels = static_cast<double>(g.in_channels) + static_cast<double>(g.out_channels);
  const auto tiles = static_cast<double>(g.batch * tile_rows(g) * tile_columns(g));
  const double direct =
      pairs * kKernel * kKernel * (static_cast<double>(g.batch * g.out_spatial()) * kProduct + kWeight);
  const double transformed =
      pairs * kWinogradPositions * (tiles * kProduct + kWeight) + channels * tiles * kTile * kTile * kElement;
  return transformed < kGain * direct;
}

bool is_window(const ConvAxis& axis) { return axis.kernel == kKernel && axis.stride == 1 && axis.dilation == 1; }

#if HWY_ARCH_X86
constexpr int64_t kChunkBytes = 768 * 1024;  // of transformed inputs, for a second-level cache of 1 or 2 MB
constexpr int64_t kChunkTiles = 42;

// Returns the number of floats between positions of `lines` times 16 floats: an odd number of cache lines, so that the
// positions of a tile do not map to the same few cache sets.
int64_t position_step(int64_t lines) { return (lines | 1) * kTileBlock; }

class WinogradWide final : public Kernel {
 public:
  explicit WinogradWide(BlockedConv conv);

  void run(const KernelCall& call) const override;
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override {
    return {0, saturated_bytes(kWinogradPositions, input_step() + product_step(), sizeof(float))};
  }

 private:
  struct Part {
    Range tiles, blocks;
    float* inputs;
    float* products;
  };

  int64_t input_step() const { return position_step(conv_.in_blocks() * chunk_tiles_); }
  int64_t product_step() const { return position_step(conv_.limits.blocks * chunk_tiles_); }
  void run_part(const KernelCall& call, const Part& part) const;
  void transform(const KernelCall& call, const Part& part) const;
  void multiply(const Part& part, Range blocks) const;
  void write(const KernelCall& call, const Part& part, Range blocks) const;

  BlockedConv conv_;
  WideTransforms transforms_;
  int64_t columns_, tiles_;  // of an image
  int64_t chunk_tiles_;
};

WinogradWide::WinogradWide(BlockedConv conv)
    : conv_(std::move(conv)),
      transforms_(wide_transforms()),
      columns_(tile_columns(conv_.geometry)),
      tiles_(tile_rows(conv_.geometry) * columns_) {
  const int64_t tile_bytes = kWinogradPositions * conv_.in_blocks() * kTileBlock * int64_t{sizeof(float)};
  chunk_tiles_ = std::clamp<int64_t>(kChunkBytes / tile_bytes, conv_.limits.points, kChunkTiles);
}

// Splits along tiles, so that tasks share no inputs, or along outputs if there are few tiles. In the latter case each
// task transforms all inputs itself, which costs less than synchronization.
void WinogradWide::run(const KernelCall& call) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t all = g.batch * tiles_, threads = call.parallel->num_threads();
  const int64_t wanted = std::min(
      threads, task_count(all * g.out_channels, g.in_channels * kWinogradPositions, call.parallel->num_threads()));
  const int64_t tile_parts = std::clamp<int64_t>(all / (2 * conv_.limits.points), 1, wanted);
  const int64_t block_parts = std::min(ceil_div(wanted, tile_parts), ceil_div(conv_.out_blocks(), conv_.limits.blocks));
  call.parallel->parallel_for(tile_parts * block_parts, [&](int64_t index, int slot) {
    const Range tiles = part_of(all, index % tile_parts, tile_parts);
    auto* inputs = call.slot_scratch<float>(slot, scratch(1).per_thread);
    Part part{{},
              part_of(conv_.out_blocks(), index / tile_parts, block_parts, conv_.limits.blocks),
              inputs,
              inputs + kWinogradPositions * input_step()};
    const int64_t chunks = ceil_div(tiles.size(), chunk_tiles_);
    for (int64_t i = 0; i < chunks; ++i) {
      const Range at = part_of(tiles.size(), i, chunks);
      part.tiles = {tiles.first + at.first, tiles.first + at.last};
      run_part(call, part);
    }
  });
}

void WinogradWide::run_part(const KernelCall& call, const Part& part) const {
  transform(call, part);
  for (int64_t block = part.blocks.first; block < part.blocks.last; block += conv_.limits.blocks) {
    const Range blocks{block, std::min(block + conv_.limits.blocks, part.blocks.last)};
    multiply(part, blocks);
    write(call, part, blocks);
  }
}

// For windows that extend beyond the edge, uses a zero-padded copy.
void WinogradWide::transform(const KernelCall& call, const Part& part) const {
  const ConvAxis &h = conv_.geometry.axes[1], &w = conv_.geometry.axes[2];
  float copy[kWinogradPositions * kTileBlock];
  WideWindow window;
  window.step = position_step(conv_.in_blocks() * part.tiles.size());
  for (int64_t tile = part.tiles.first; tile < part.tiles.last; ++tile) {
    const int64_t y = tile % tiles_ / columns_ * kTile - h.pad_begin, x = tile % columns_ * kTile - w.pad_begin;
    const bool is_inside = y >= 0 && x >= 0 && y + kSide <= h.input && x + kSide <= w.input;
    const int64_t left = std::max<int64_t>(x, 0), right = std::min(x + kSide, w.input);
    for (int64_t block = 0; block < conv_.in_blocks(); ++block) {
      const float* plane =
          call.input<float>(0) + (tile / tiles_ * conv_.in_blocks() + block) * conv_.geometry.in_spatial() * kTileBlock;
      window.from = plane + (y * w.input + x) * kTileBlock;
      window.row = w.input * kTileBlock;
      if (!is_inside) {
        std::fill(std::begin(copy), std::end(copy), 0.0f);
        for (int64_t row = std::max<int64_t>(y, 0); row < std::min(y + kSide, h.input) && left < right; ++row)
          std::copy_n(plane + (row * w.input + left) * kTileBlock, (right - left) * kTileBlock,
                      copy + ((row - y) * kSide + left - x) * kTileBlock);
        window.from = copy;
        window.row = kSide * kTileBlock;
      }
      window.to = part.inputs + (block * part.tiles.size() + tile - part.tiles.first) * kTileBlock;
      transforms_.input(window);
    }
  }
}

void WinogradWide::multiply(const Part& part, Range blocks) const {
  const int64_t channels = conv_.geometry.in_channels, tiles = part.tiles.size();
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < conv_.limits.points; ++p) offsets[p] = p * kTileBlock;
  Tile16 tile;
  tile.offsets = offsets;
  tile.blocks = blocks.size();
  tile.segments = 1;
  tile.chunks = conv_.in_blocks();
  tile.chunk_stride = tiles * kTileBlock;
  tile.length = kTileBlock;
  tile.last_length = channels - (tile.chunks - 1) * kTileBlock;
  tile.weights_stride = kWinogradPositions * channels * kTileBlock;
  tile.point_stride = kTileBlock;
  tile.block_stride = tiles * kTileBlock;
  const int64_t rows = ceil_div(tiles, conv_.limits.points);
  const int64_t input_step = position_step(tile.chunks * tiles), step = position_step(blocks.size() * tiles);
  for (int64_t position = 0; position < kWinogradPositions; ++position) {
    tile.weights = conv_.weights.data() + (blocks.first * kWinogradPositions + position) * channels * kTileBlock;
    const float* next = position + 1 < kWinogradPositions ? tile.weights + channels * kTileBlock : nullptr;
    for (int64_t i = 0; i < rows; ++i) {
      set_prefetch(tile, next, channels * kTileBlock, i, rows);
      const Range at = part_of(tiles, i, rows);
      tile.points = at.size();
      tile.input = part.inputs + position * input_step + at.first * kTileBlock;
      tile.output = part.products + position * step + at.first * kTileBlock;
      conv_.tile(tile);
    }
  }
}

void WinogradWide::write(const KernelCall& call, const Part& part, Range blocks) const {
  const ConvAxis &h = conv_.geometry.axes[1], &w = conv_.geometry.axes[2];
  const float* residual = residual_of(call);
  WideTile tile;
  tile.activation = conv_.activation;
  tile.step = position_step(blocks.size() * part.tiles.size());
  tile.row = w.output * kTileBlock;
  for (int64_t block = blocks.first; block < blocks.last; ++block) {
    tile.bias = conv_.block_bias(block);
    tile.from = part.products + (block - blocks.first) * part.tiles.size() * kTileBlock;
    for (int64_t t = part.tiles.first; t < part.tiles.last; ++t, tile.from += kTileBlock) {
      const int64_t y = t % tiles_ / columns_ * kTile, x = t % columns_ * kTile;
      const int64_t plane = (t / tiles_ * conv_.out_blocks() + block) * h.output;
      const int64_t at = ((plane + y) * w.output + x) * kTileBlock;
      tile.output = call.output<float>(0) + at;
      tile.residual = residual == nullptr ? nullptr : residual + at;
      tile.height = std::min(kTile, h.output - y);
      tile.width = std::min(kTile, w.output - x);
      transforms_.output(tile);
    }
  }
}
#endif

}  // namespace

bool accepts_conv_winograd16_wide(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && g->group == 1 && is_window(g->axes[1]) && is_window(g->axes[2]) && g->output.num_elements() > 0 &&
         accepts_blocked(spec, Layout::kBlocked16, Packing::kWinograd16) && is_faster(*g);
}

#if HWY_ARCH_X86
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16_wide(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, Packing::kWinograd16));
  return std::unique_ptr<Kernel>(std::make_unique<WinogradWide>(std::move(conv)));
}
#else
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16_wide(const OperatorSpec&) {
  return Status(Code::kUnsupported, "conv.f32.winograd16.wide needs AVX2");
}
#endif

}  // namespace nestrt::kernels
