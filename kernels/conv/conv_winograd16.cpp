// Winograd's convolution over blocked16 tensors (kernels/conv/winograd.h). Transformed inputs of a chunk lie as
// [36][input blocks][tiles][16]; each block of outputs takes 36 matrix products, [36][tiles][16], and transforms them
// back row by row.
#include <algorithm>
#include <limits>

#include "hwy/detect_targets.h"
#include "kernels/common/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/winograd.h"
#include "kernels/conv/winograd_tasks.h"

namespace nestrt::kernels {
namespace {

constexpr WinogradCosts kCosts = {.direct_product = 1.0 / 3,
                                  .product = 1.0 / 3,
                                  .direct_weight = 22.0 / 16,
                                  .weight = 22.0 / 16,
                                  .element = 6,
                                  // Threads share the memory: weights alone must not take long.
                                  .least_tiles = 9};

bool has_bounds(const OperatorSpec& spec) {
  const ops::ActivationKind kind = spec.as<ops::Conv>()->activation.kind;
  return kind == ops::ActivationKind::kNone || kind == ops::ActivationKind::kRelu || kind == ops::ActivationKind::kClip;
}

#if HWY_ARCH_ARM_A64
constexpr int64_t kRowTiles = 14;  // transformed back at a time; the first-level cache holds them
constexpr int64_t kRowFloats = kRowTiles * kWinogradTile * kWinogradTile * kTileBlock;

class Winograd16 final : public Kernel {
 public:
  explicit Winograd16(BlockedConv conv)
      : conv_(std::move(conv)), tasks_(conv_.geometry, conv_.limits.grain, sizeof(float)) {}

  void run(const KernelCall& call) const override {
    tasks_.run(
        conv_.geometry, call, [&](const WinogradItem& item) { transform(call, item); },
        [&](const WinogradProducts& products) { multiply(call, products); });
  }
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override {
    return {saturated_bytes(tasks_.chunk_tiles(), tile_floats(conv_.in_blocks()), sizeof(float)),
            saturated_bytes(tasks_.chunk_tiles() * tile_floats(1) + kRowFloats, sizeof(float), 1)};
  }

 private:
  static int64_t tile_floats(int64_t blocks) { return kWinogradPositions * kTileBlock * blocks; }

  void transform(const KernelCall& call, const WinogradItem& item) const;
  void multiply(const KernelCall& call, const WinogradProducts& part) const;
  void multiply_tiles(const float* inputs, int64_t chunk_tiles, Range tiles, int64_t block, float* products) const;
  void write_tiles(const KernelCall& call, Range tiles, int64_t block, float* products) const;
  void write_rows(const KernelCall& call, const WinogradPlace& place, int64_t tiles, int64_t block,
                  const float* rows) const;

  BlockedConv conv_;
  WinogradTasks tasks_;
};

void Winograd16::transform(const KernelCall& call, const WinogradItem& item) const {
  const int64_t blocks = conv_.in_blocks(), tiles = item.chunk.size();
  WinogradInput tile;
  tile.window = tasks_.window(conv_.geometry, call.input<float>(0), item, 0.0f);
  tile.to = reinterpret_cast<float*>(call.shared_scratch) + (item.block * tiles + item.in_chunk()) * kTileBlock;
  tile.step = blocks * tiles * kTileBlock;
  winograd_input(tile);
}

void Winograd16::multiply(const KernelCall& call, const WinogradProducts& part) const {
  const auto* inputs = reinterpret_cast<const float*>(call.shared_scratch);
  auto* products = call.slot_scratch<float>(part.slot, scratch(1).per_thread);
  const Range in_chunk{part.tiles.first - part.chunk.first, part.tiles.last - part.chunk.first};
  for (int64_t block = part.blocks.first; block < part.blocks.last; ++block) {
    multiply_tiles(inputs, part.chunk.size(), in_chunk, block, products);
    write_tiles(call, part.tiles, block, products);
  }
}

void Winograd16::multiply_tiles(const float* inputs, int64_t chunk_tiles, Range tiles, int64_t block,
                                float* products) const {
  const int64_t channels = conv_.geometry.in_channels, blocks = conv_.in_blocks();
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < conv_.limits.points; ++p) offsets[p] = p * kTileBlock;
  Tile16 tile;
  tile.offsets = offsets;
  tile.blocks = tile.segments = 1;
  tile.chunks = blocks;
  tile.chunk_stride = chunk_tiles * kTileBlock;
  tile.length = kTileBlock;
  tile.last_length = channels - (blocks - 1) * kTileBlock;
  tile.point_stride = kTileBlock;
  for (int64_t position = 0; position < kWinogradPositions; ++position) {
    tile.weights = conv_.weights.data() + (block * kWinogradPositions + position) * channels * kTileBlock;
    for (int64_t t = tiles.first; t < tiles.last; t += conv_.limits.points) {
      tile.points = std::min(conv_.limits.points, tiles.last - t);
      tile.input = inputs + (position * blocks * chunk_tiles + t) * kTileBlock;
      tile.output = products + (position * tiles.size() + t - tiles.first) * kTileBlock;
      conv_.tile(tile);
    }
  }
}

// Whole rows of pixels go to memory one after the other, which need not be read first then.
void Winograd16::write_tiles(const KernelCall& call, Range tiles, int64_t block, float* products) const {
  WinogradOutput tile;
  tile.step = tiles.size() * kTileBlock;
  tile.row = kRowTiles * kWinogradTile * kTileBlock;
  float* rows = products + kWinogradPositions * tile.step;
  tile.from = products;
  for (int64_t t = tiles.first; t < tiles.last;) {
    const WinogradPlace place = tasks_.place_of(t);
    const int64_t count = tasks_.row_length(tiles, t, kRowTiles);
    tile.to = rows;
    for (int64_t i = 0; i < count; ++i, tile.from += kTileBlock, tile.to += kWinogradTile * kTileBlock)
      winograd_output(tile);
    write_rows(call, place, count, block, rows);
    t += count;
  }
}

void Winograd16::write_rows(const KernelCall& call, const WinogradPlace& place, int64_t tiles, int64_t block,
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
  pixels.count = std::min(tiles * kWinogradTile, w.output - place.x);
  const int64_t plane = (place.image * conv_.out_blocks() + block) * h.output;
  for (int64_t y = place.y; y < std::min(place.y + kWinogradTile, h.output); ++y) {
    const int64_t at = ((plane + y) * w.output + place.x) * kTileBlock;
    pixels.from = rows + (y - place.y) * kRowTiles * kWinogradTile * kTileBlock;
    pixels.output = call.output<float>(0) + at;
    pixels.residual = residual == nullptr ? nullptr : residual + at;
    winograd_finish(pixels);
  }
}
#endif

}  // namespace

bool accepts_conv_winograd16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && has_bounds(spec) && accepts_blocked(spec, Layout::kBlocked16, Packing::kWinograd16) &&
         winograd_pays(*g, kCosts);
}

#if HWY_ARCH_ARM_A64
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, Packing::kWinograd16));
  return std::unique_ptr<Kernel>(std::make_unique<Winograd16>(std::move(conv)));
}
#else
Result<std::unique_ptr<Kernel>> prepare_conv_winograd16(const OperatorSpec&) {
  return Status(Code::kUnsupported, "conv.f32.winograd16 needs NEON");
}
#endif

}  // namespace nestrt::kernels
