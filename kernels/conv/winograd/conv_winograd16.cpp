// SPDX-License-Identifier: Apache-2.0
// Winograd convolutions over blocked16 tensors (kernels/conv/winograd/winograd.h). The transformed inputs of a chunk
// are [positions][input blocks][tiles that have the position][16]. The matrix products of a few blocks of outputs at a
// time are computed position by position, so that the inputs stay in the first-level cache. They are then transformed
// back row by row.
#include <algorithm>
#include <limits>

#include "hwy/detect_targets.h"
#include "kernels/common/math/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/winograd/conv_winograd16.h"
#include "kernels/conv/winograd/winograd_tasks.h"

namespace nestrt::kernels {
namespace {

constexpr WinogradCosts kCosts = {.direct_product = 1.0 / 3,
                                  .product = 1.0 / 3,
                                  .direct_weight = 22.0 / 16,
                                  .weight = 22.0 / 16,
                                  .element = 6,
                                  // Threads share the memory bandwidth, so reading weights must not be the dominant
                                  // cost.
                                  .min_tiles = 9};

struct Form {
  WinogradShape shape;
  Packing packing;
};
constexpr Form kFour{kWinogradFour, Packing::kWinograd16};
constexpr Form kTwo{kWinogradTwo, Packing::kWinograd16Two};
constexpr Form kStrided{kWinogradStrided, Packing::kWinograd16Strided};

bool accepts(const OperatorSpec& spec, const Form& form) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && has_bounds(spec) && accepts_blocked(spec, Layout::kBlocked16, form.packing) &&
         is_winograd_faster(*g, kCosts, form.shape);
}

#if HWY_ARCH_ARM_A64
constexpr int64_t kRowTiles = 14;  // transformed back at a time; fits the first-level cache
constexpr int64_t kRowFloats = kRowTiles * kWinogradTile * kWinogradTile * kTileBlock;
constexpr int64_t kProductBytes = 192 * 1024;  // of blocks multiplied together: half a second-level cache
constexpr int64_t kMaxBlocks = 4;

class Winograd16 final : public Kernel {
 public:
  Winograd16(BlockedConv conv, const WinogradShape& shape, const WinogradTransforms& transforms)
      : conv_(std::move(conv)),
        transforms_(transforms),
        tasks_(conv_.geometry, conv_.limits.grain, sizeof(float), shape) {
    input_stride_ = stride(tasks_.chunk_tiles() * conv_.in_blocks());
    const int64_t block_bytes = block_floats(tasks_.chunk_tiles()) * int64_t{sizeof(float)};
    group_blocks_ = std::clamp<int64_t>(kProductBytes / block_bytes, 1, std::min(kMaxBlocks, conv_.out_blocks()));
    set_positions();
  }

  void run(const KernelCall& call) const override {
    tasks_.run(
        conv_.geometry, call, [&](const WinogradItem& item) { transform(call, item); },
        [&](const WinogradProducts& products) { multiply(call, products); });
  }
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override {
    return {saturated_bytes(input_stride_, shape().positions(), sizeof(float)),
            saturated_bytes(group_blocks_ * block_floats(tasks_.chunk_tiles()) + kRowFloats, sizeof(float), 1)};
  }

 private:
  const WinogradShape& shape() const { return tasks_.tiles().shape(); }
  // Returns the number of floats between positions: an odd number of cache lines, so that the positions of a tile do
  // not map to the same few cache sets.
  static int64_t stride(int64_t lines) { return (lines | 1) * kTileBlock; }
  int64_t block_floats(int64_t tiles) const { return shape().positions() * stride(tiles); }
  const float* weights_of(int64_t block, int64_t position) const {
    const int64_t at = block * shape().weight_positions() + positions_[static_cast<size_t>(position)].weights;
    return conv_.weights.data() + at * conv_.geometry.in_channels * kTileBlock;
  }
  // Returns the weights of the product that follows, or null after the last one. At each position, the products iterate
  // over the blocks of `group`.
  const float* weights_after(int64_t block, int64_t position, Range group, int64_t last_block) const;
  void transform(const KernelCall& call, const WinogradItem& item) const;
  void multiply(const KernelCall& call, const WinogradProducts& part) const;
  // `next_weights`: the weights of the product after the tile's, or null.
  void multiply_tiles(Tile16& tile, const float* next_weights, const float* inputs, int64_t tiles,
                      float* products) const;
  void write_tiles(const KernelCall& call, Range tiles, int64_t block, const float* products, float* rows) const;
  void write_rows(const KernelCall& call, const WinogradTile& first, int64_t tiles, int64_t block,
                  const float* rows) const;

  struct Position {
    int64_t weights;  // position of the weights
    size_t of;        // class of the position
  };
  void set_positions();

  BlockedConv conv_;
  std::array<Position, kWinogradPositions> positions_{};
  WinogradTransforms transforms_;
  WinogradTasks tasks_;
  int64_t input_stride_ = 0;  // floats of a position
  int64_t group_blocks_ = 1;  // blocks multiplied together
};

void Winograd16::set_positions() {
  const int64_t last = shape().weight_side - 1;
  for (int64_t row = 0; row < shape().side; ++row)
    for (int64_t column = 0; column < shape().side; ++column)
      positions_[static_cast<size_t>(row * shape().side + column)] = {
          std::min(row, last) * shape().weight_side + std::min(column, last),
          WinogradAxes{shape().skips(row), shape().skips(column)}.index()};
}

const float* Winograd16::weights_after(int64_t block, int64_t position, Range group, int64_t last_block) const {
  if (block + 1 < group.last) return weights_of(block + 1, position);
  if (position + 1 < shape().positions()) return weights_of(group.first, position + 1);
  return group.last < last_block ? weights_of(group.last, 0) : nullptr;
}

void Winograd16::transform(const KernelCall& call, const WinogradItem& item) const {
  WinogradInput tile;
  const auto window_of = [&](const WinogradTile& of) {
    return tasks_.window(conv_.geometry, call.input<float>(0), of, item.block, 0.0f);
  };
  tile.window = window_of(item.tile);
  tile.prefetch = prefetch_pixels(window_of(item.next), shape().side);
  tile.is_short = tasks_.tiles().is_short(item.tile);
  const WinogradCounts before = tasks_.tiles().counts_before(item.tile);
  for (size_t i = 0; i < kWinogradClasses; ++i)
    tile.to[i] = reinterpret_cast<float*>(call.shared_scratch) +
                 (item.block * item.chunk.tiles[i] + before[i] - item.chunk.before[i]) * kTileBlock;
  tile.step = input_stride_;
  transforms_.input(tile);
}

void Winograd16::multiply(const KernelCall& call, const WinogradProducts& part) const {
  auto* products = call.slot_scratch<float>(part.slot, scratch(1).per_thread);
  float* rows = products + group_blocks_ * block_floats(tasks_.chunk_tiles());
  const auto* inputs = reinterpret_cast<const float*>(call.shared_scratch);
  const WinogradTiles& all = tasks_.tiles();
  const WinogradCounts first_tile = all.counts_before(all.at(part.tiles.first));
  const WinogradCounts last_tile = all.counts_before(all.at(part.tiles.last));
  const int64_t product_stride = block_floats(part.tiles.size()), in_blocks = conv_.in_blocks();
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < conv_.limits.points; ++p) offsets[p] = p * kTileBlock;
  Tile16 tile;
  tile.offsets = offsets;
  tile.blocks = tile.segments = 1;
  tile.chunks = in_blocks;
  tile.length = kTileBlock;
  tile.last_length = conv_.geometry.in_channels - (in_blocks - 1) * kTileBlock;
  tile.evenly_spaced = true;
  tile.point_stride = kTileBlock;
  for (int64_t first = part.blocks.first; first < part.blocks.last; first += group_blocks_) {
    const Range group{first, std::min(first + group_blocks_, part.blocks.last)};
    for (int64_t position = 0; position < shape().positions(); ++position) {
      const size_t of = positions_[static_cast<size_t>(position)].of;
      const float* from = inputs + position * input_stride_ + (first_tile[of] - part.chunk.before[of]) * kTileBlock;
      float* to = products + position * stride(part.tiles.size());
      tile.chunk_stride = part.chunk.tiles[of] * kTileBlock;
      for (int64_t block = group.first; block < group.last; ++block, to += product_stride) {
        tile.weights = weights_of(block, position);
        multiply_tiles(tile, weights_after(block, position, group, part.blocks.last), from,
                       last_tile[of] - first_tile[of], to);
      }
    }
    for (int64_t block = group.first; block < group.last; ++block)
      write_tiles(call, part.tiles, block, products + (block - group.first) * product_stride, rows);
  }
}

void Winograd16::multiply_tiles(Tile16& tile, const float* next_weights, const float* inputs, int64_t tiles,
                                float* products) const {
  const int64_t points = conv_.limits.points, calls = tiles <= points ? 1 : ceil_div(tiles, points);
  for (int64_t t = 0; t < tiles; t += points) {
    tile.points = std::min(points, tiles - t);
    set_prefetch(tile, next_weights, conv_.geometry.in_channels * kTileBlock, t / points, calls);
    tile.input = inputs + t * kTileBlock;
    tile.output = products + t * kTileBlock;
    conv_.tile(tile);
  }
}

// Stores whole rows of pixels, so that cache lines need not be read before they are written.
void Winograd16::write_tiles(const KernelCall& call, Range tiles, int64_t block, const float* products,
                             float* rows) const {
  WinogradOutput tile;
  tile.step = stride(tiles.size());
  tile.row = kRowTiles * shape().tile * kTileBlock;
  const WinogradTiles& all = tasks_.tiles();
  WinogradTile now = all.at(tiles.first);
  const WinogradCounts first = all.counts_before(now);
  while (now.index < tiles.last) {
    const WinogradTile row = now;
    const int64_t count = all.row_length(tiles, row, kRowTiles);
    const WinogradCounts before = all.counts_before(row);
    for (size_t i = 0; i < kWinogradClasses; ++i) tile.from[i] = products + (before[i] - first[i]) * kTileBlock;
    tile.to = rows;
    for (int64_t i = 0; i < count; ++i, tile.to += shape().tile * kTileBlock) {
      tile.is_short = all.is_short(now);
      transforms_.output(tile);
      for (const float*& from : tile.from) from += kTileBlock;
      now = all.after(now);
    }
    write_rows(call, row, count, block, rows);
  }
}

void Winograd16::write_rows(const KernelCall& call, const WinogradTile& first, int64_t tiles, int64_t block,
                            const float* rows) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const ConvAxis &h = conv_.geometry.axes[1], &w = conv_.geometry.axes[2];
  const Activation& activation = conv_.activation;
  const bool is_clip = activation.kind == ops::ActivationKind::kClip;
  const float* residual = residual_of(call);
  WinogradPixels pixels;
  pixels.bias = conv_.block_bias(block);
  pixels.low = is_clip ? activation.alpha : activation.kind == ops::ActivationKind::kRelu ? 0.0f : -kInfinity;
  pixels.high = is_clip ? activation.beta : kInfinity;
  const int64_t first_y = first.row * shape().tile, first_x = first.column * shape().tile;
  pixels.count = std::min(tiles * shape().tile, w.output - first_x);
  const int64_t plane = (first.image * conv_.out_blocks() + block) * h.output;
  for (int64_t y = first_y; y < std::min(first_y + shape().tile, h.output); ++y) {
    const int64_t at = ((plane + y) * w.output + first_x) * kTileBlock;
    pixels.from = rows + (y - first_y) * kRowTiles * shape().tile * kTileBlock;
    pixels.output = call.output<float>(0) + at;
    pixels.residual = residual == nullptr ? nullptr : residual + at;
    winograd_finish(pixels);
  }
}

WinogradTransforms transforms_of(Packing packing) {
  if (packing == Packing::kWinograd16Two) return winograd_two();
  return packing == Packing::kWinograd16Strided ? winograd_strided() : winograd_four();
}

Result<std::unique_ptr<Kernel>> prepare(const OperatorSpec& spec, const Form& form) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, form.packing));
  return make_winograd16(std::move(conv), form.shape, transforms_of(form.packing));
}
#else
Result<std::unique_ptr<Kernel>> prepare(const OperatorSpec&, const Form&) {
  return Status(Code::kUnsupported, "f32 Winograd convolution requires NEON");
}
#endif

}  // namespace

#if HWY_ARCH_ARM_A64
std::unique_ptr<Kernel> make_winograd16(BlockedConv conv, const WinogradShape& shape,
                                        const WinogradTransforms& transforms) {
  return std::make_unique<Winograd16>(std::move(conv), shape, transforms);
}
#endif

bool accepts_conv_winograd16(const OperatorSpec& spec) { return accepts(spec, kFour); }
bool accepts_conv_winograd16_two(const OperatorSpec& spec) { return accepts(spec, kTwo); }
bool accepts_conv_winograd16_strided(const OperatorSpec& spec) { return accepts(spec, kStrided); }

Result<std::unique_ptr<Kernel>> prepare_conv_winograd16(const OperatorSpec& spec) { return prepare(spec, kFour); }
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16_two(const OperatorSpec& spec) { return prepare(spec, kTwo); }
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16_strided(const OperatorSpec& spec) {
  return prepare(spec, kStrided);
}

}  // namespace nestrt::kernels
