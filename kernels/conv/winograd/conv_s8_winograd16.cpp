// SPDX-License-Identifier: Apache-2.0
// s8 Winograd convolution over blocked16 tensors (kernels/conv/winograd/winograd_s8.h), bit-identical to direct
// convolution. The transformed inputs of a chunk are [36][groups of tiles][input channels / 4][tiles of the group][4].
// For each block of outputs, 36 matrix products, [36][tiles][16], are computed and transformed back row by row.
#include <algorithm>

#include "hwy/detect_targets.h"
#include "kernels/common/math/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/winograd/winograd_s8.h"
#include "kernels/conv/winograd/winograd_tasks.h"

namespace nestrt::kernels {
namespace {

// On a Cortex-A53, whose memory delivers 64 bytes in 22 cycles.
constexpr WinogradCosts kCosts = {.direct_product = 1.0 / 4.4,
                                  .product = 1.0 / 3.4,
                                  .direct_weight = 22.0 / 64,
                                  .weight = 22.0 / 32,
                                  .element = 6,
                                  .min_tiles = 4};

// On x86 cores with AVX2 and without VNNI. Estimates: direct convolutions take 1/13 cycle per product if inputs may be
// negative, less if not. Weights that leave the caches cost most, so layers with few tiles stay direct.
constexpr WinogradCosts kWideCosts = {.direct_product = 1.0 / 24,
                                      .product = 1.0 / 18,
                                      .direct_weight = 0.2,
                                      .weight = 0.4,
                                      .element = 0.5,
                                      .min_tiles = 4};

// The packing of the weights in a plan.
constexpr Packing kPacking = HWY_ARCH_X86 ? Packing::kS8O16i4 : Packing::kS8Winograd16;

#if HWY_ARCH_ARM_A64 || HWY_ARCH_X86
constexpr int64_t kRowTiles = 14;  // transformed back at a time; fits the first-level cache
constexpr int64_t kRowSums = kRowTiles * kWinogradTile * kWinogradTile * kTileBlock;
// In bytes. Far enough ahead for the hardware prefetcher to keep as many lines in flight as the memory latency
// requires.
constexpr int64_t kPrefetchDistance = 512;
constexpr int64_t kTileSums = kWinogradPositions * kTileBlock;

struct TransformedWeights {
  PackedBytes bytes;      // 16-bit integers
  bool repacked = false;  // whether prepare() packed weights that a plan could contain
};

// On x86, plans do not contain transformed weights: they take eight times the memory, and the instruction sets with dot
// products do not use them.
Result<TransformedWeights> transformed_weights(const ConvGeometry& geometry, const TensorSpec& weights) {
  NESTRT_ASSIGN_OR_RETURN(PackedBytes packed, PackedBytes::make(weights, kPacking));
  const bool repacked = packed.repacked();
#if HWY_ARCH_X86
  constexpr int64_t kTaps = 9;
  const int64_t blocks = ceil_div(geometry.out_channels, kTileBlock), channels = geometry.in_channels;
  const int64_t block_bytes = kWinogradPositions * channels * kTileBlock * int64_t{sizeof(int16_t)};
  AlignedArray<int8_t> bytes(blocks * block_bytes);
  if (bytes.data() == nullptr) return Status(Code::kOutOfMemory, "no memory for the prepared weights");
  for (int64_t block = 0; block < blocks; ++block)
    winograd_s8_weights(packed.data() + block * round_up(channels, kTileBlock) * kTaps * kTileBlock, channels,
                        reinterpret_cast<int16_t*>(bytes.data() + block * block_bytes));
  packed = PackedBytes(std::move(bytes));
#else
  (void)geometry;
#endif
  return TransformedWeights{std::move(packed), repacked};
}

class S8Winograd16 final : public Kernel {
 public:
  S8Winograd16(const ConvGeometry& geometry, TransformedWeights weights, S8Outputs outputs)
      : geometry_(geometry),
        weights_(std::move(weights)),
        outputs_(std::move(outputs)),
        tasks_(geometry_, kWinogradS8Group, sizeof(int16_t), kWinogradS8) {
    // Uses an odd number of cache lines, so that the positions of a tile do not map to the same few cache sets.
    constexpr int64_t kLine = 64 / sizeof(int16_t);
    position_stride_ = (ceil_div(tasks_.chunk_tiles() * geometry_.in_channels, kLine) | 1) * kLine;
    if (outputs_.input_zero() != 0) subtract_zero();
  }

  void run(const KernelCall& call) const override {
    tasks_.run(
        geometry_, call, [&](const WinogradItem& item) { transform(call, item); },
        [&](const WinogradProducts& part) { multiply(call, part); });
  }
  bool repacked() const override { return weights_.repacked; }
  ScratchSize scratch(int) const override {
    return {saturated_bytes(position_stride_, kWinogradPositions, sizeof(int16_t)),
            saturated_bytes(tasks_.chunk_tiles() * kTileSums + kRowSums, sizeof(int32_t), 1)};
  }

 private:
  const int16_t* weights_of(int64_t block, int64_t position) const {
    return reinterpret_cast<const int16_t*>(weights_.bytes.data()) +
           (block * kWinogradPositions + position) * geometry_.in_channels * kTileBlock;
  }
  void subtract_zero();
  void transform(const KernelCall& call, const WinogradItem& item) const;
  void multiply(const KernelCall& call, const WinogradProducts& part) const;
  void multiply_tiles(const int16_t* inputs, int64_t chunk_tiles, Range tiles, int64_t block, int32_t* products) const;
  void write_tiles(const KernelCall& call, Range tiles, int64_t block, int32_t* products) const;
  void write_rows(const KernelCall& call, const WinogradTile& first, int64_t tiles, int64_t block,
                  const int32_t* rows) const;

  ConvGeometry geometry_;
  TransformedWeights weights_;
  S8Outputs outputs_;
  WinogradTasks tasks_;
  int64_t position_stride_ = 0;  // of transformed inputs
};

// Subtracts the input's zero point times the sum of all weights from the start values. Position (1, 1) of the
// transformed weights contains 25 times that sum.
void S8Winograd16::subtract_zero() {
  for (int64_t block = 0; block < ceil_div(geometry_.out_channels, kTileBlock); ++block) {
    const int16_t* sums = weights_of(block, kWinogradSide + 1);
    for (int64_t i = 0; i < geometry_.in_channels * kTileBlock; ++i) {
      int32_t& start = outputs_.start(block)[i / kWinogradS8Adjacent % kTileBlock];
      start = s8::wrapping_add(start, -outputs_.input_zero() * (sums[i] / 25));
    }
  }
}

void S8Winograd16::transform(const KernelCall& call, const WinogradItem& item) const {
  const int64_t channel = item.block * kTileBlock, channels = geometry_.in_channels;
  const int64_t in_group = item.in_chunk() % kWinogradS8Group, first = item.in_chunk() - in_group;
  const int64_t group = winograd_s8_group(item.chunk.size() - first);
  WinogradS8Input tile;
  tile.window = tasks_.window(geometry_, call.input<int8_t>(0), item.tile, item.block, outputs_.input_zero());
  tile.steps = std::min(kTileBlock, channels - channel) / kWinogradS8Step;
  tile.to =
      reinterpret_cast<int16_t*>(call.shared_scratch) + first * channels + channel * group + in_group * kWinogradS8Step;
  tile.position_stride = position_stride_;
  tile.step_stride = group * kWinogradS8Step;
  winograd_s8_input(tile);
}

void S8Winograd16::multiply(const KernelCall& call, const WinogradProducts& part) const {
  const auto* inputs = reinterpret_cast<const int16_t*>(call.shared_scratch);
  auto* products = call.slot_scratch<int32_t>(part.slot, scratch(1).per_thread);
  const Range in_chunk{part.tiles.first - part.chunk.first, part.tiles.last - part.chunk.first};
  for (int64_t block = part.blocks.first; block < part.blocks.last; ++block) {
    multiply_tiles(inputs, part.chunk.size(), in_chunk, block, products);
    write_tiles(call, part.tiles, block, products);
  }
}

void S8Winograd16::multiply_tiles(const int16_t* inputs, int64_t chunk_tiles, Range tiles, int64_t block,
                                  int32_t* products) const {
  WinogradS8Product product;
  product.steps = geometry_.in_channels / kWinogradS8Step;
  product.sums = products;
  const int64_t all = ceil_div(geometry_.out_channels, kTileBlock) * kWinogradPositions;
  const int64_t last = (tiles.size() - 1) / kWinogradS8Group;  // index of the last group
  const int64_t last_tiles = winograd_s8_group(chunk_tiles - tiles.first - last * kWinogradS8Group);
  const int64_t sixes = last + (last_tiles == kWinogradS8Group ? 1 : 0);
  for (int64_t position = 0; position < kWinogradPositions; ++position) {
    product.weights = weights_of(block, position);
    const int64_t left = (all - block * kWinogradPositions - position - 1) * geometry_.in_channels * kTileBlock;
    product.prefetch_bytes = std::min(kPrefetchDistance, left * int64_t{sizeof(int16_t)});
    product.inputs = inputs + position * position_stride_ + tiles.first * geometry_.in_channels;
    product.groups = sixes;
    winograd_s8_multiply_six(product);
    product.sums += sixes * kWinogradS8Group * kTileBlock;
    if (sixes > last) continue;
    product.inputs += sixes * kWinogradS8Group * geometry_.in_channels;
    product.groups = 1;
    winograd_s8_multiply_four(product);
    product.sums += kWinogradS8Group * kTileBlock;
  }
}

void S8Winograd16::write_tiles(const KernelCall& call, Range tiles, int64_t block, int32_t* products) const {
  WinogradS8Output tile;
  tile.step = round_up(tiles.size(), kWinogradS8Group) * kTileBlock;
  tile.row = kRowTiles * kWinogradTile * kTileBlock;
  tile.start = outputs_.start(block);
  tile.from = products;
  int32_t* rows = products + kWinogradPositions * tile.step;
  const WinogradTiles& all = tasks_.tiles();
  for (WinogradTile first = all.at(tiles.first); first.index < tiles.last;) {
    const int64_t count = all.row_length(tiles, first, kRowTiles);
    tile.to = rows;
    for (int64_t i = 0; i < count; ++i, tile.from += kTileBlock, tile.to += kWinogradTile * kTileBlock)
      winograd_s8_output(tile);
    write_rows(call, first, count, block, rows);
    first = all.after(first, count);
  }
}

void S8Winograd16::write_rows(const KernelCall& call, const WinogradTile& first, int64_t tiles, int64_t block,
                              const int32_t* rows) const {
  const ConvAxis &h = geometry_.axes[1], &w = geometry_.axes[2];
  const int64_t first_y = first.row * kWinogradTile, first_x = first.column * kWinogradTile;
  const int64_t plane = (first.image * ceil_div(geometry_.out_channels, kTileBlock) + block) * h.output;
  S8Finish finish;
  finish.points = std::min(tiles * kWinogradTile, w.output - first_x);
  finish.blocks = 1;
  finish.point_stride = kTileBlock;
  for (int64_t y = first_y; y < std::min(first_y + kWinogradTile, h.output); ++y) {
    finish.sums = rows + (y - first_y) * kRowTiles * kWinogradTile * kTileBlock;
    outputs_.place(call, ((plane + y) * w.output + first_x) * kTileBlock, finish);
    outputs_.run(block, finish);
  }
}
#endif

bool is_faster(const OperatorSpec& spec, Packing packing, const WinogradCosts& costs) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && accepts_s8_blocked(spec, Layout::kBlocked16, packing) && g->in_channels > 0 &&
         g->in_channels % kWinogradS8Step == 0 && g->in_channels <= kMaxWinogradS8Channels &&
         is_winograd_faster(*g, costs, kWinogradS8);
}

}  // namespace

bool accepts_conv_s8_winograd16(const OperatorSpec& spec) { return is_faster(spec, Packing::kS8Winograd16, kCosts); }

bool accepts_conv_s8_winograd16_wide(const OperatorSpec& spec) {
  return is_faster(spec, Packing::kS8O16i4, kWideCosts);
}

#if HWY_ARCH_ARM_A64 || HWY_ARCH_X86
Result<std::unique_ptr<Kernel>> prepare_conv_s8_winograd16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(const s8::Epilogue epilogue, s8::conv_epilogue(spec));
  NESTRT_ASSIGN_OR_RETURN(TransformedWeights weights, transformed_weights(g, spec.inputs[1]));
  NESTRT_ASSIGN_OR_RETURN(S8Outputs outputs, S8Outputs::make(g.out_channels, s8_bias(spec), epilogue));
  return std::unique_ptr<Kernel>(std::make_unique<S8Winograd16>(g, std::move(weights), std::move(outputs)));
}
#else
Result<std::unique_ptr<Kernel>> prepare_conv_s8_winograd16(const OperatorSpec&) {
  return Status(Code::kUnsupported, "conv.s8.winograd16 needs NEON or AVX2");
}
#endif

}  // namespace nestrt::kernels
