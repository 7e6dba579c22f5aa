// Winograd's convolution over blocked16 tensors (kernels/conv/winograd.h). Tiles are taken in chunks: their inputs are
// transformed once, [36][input blocks][tiles][16], into memory that all threads share and the second-level cache holds;
// then each block of outputs takes 36 matrix products, [36][tiles][16], into its thread's own, and transforms them
// back row by row.
#include <algorithm>
#include <limits>

#include "hwy/detect_targets.h"
#include "kernels/common/integers.h"
#include "kernels/common/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/winograd.h"

namespace nestrt::kernels {
namespace {

int64_t tiles_of(const ConvGeometry& g) {
  return ceil_div(g.axes[1].output, kWinogradTile) * ceil_div(g.axes[2].output, kWinogradTile);
}

// Whether the transforms, and the transformed weights, which come from memory, cost less than the products that they
// spare: in cycles of a Cortex-A53, of which a product takes a third, 64 bytes from memory 22, an element's transform 6
// (a tile has 16 inputs and outputs).
bool pays(const ConvGeometry& g) {
  constexpr double kPerProduct = 1.0 / 3, kPerWeight = 22.0 / 16, kPerElement = 6, kGain = 0.9;
  // Threads share the memory: weights alone must not take long.
  constexpr int64_t kLeastTiles = 9;
  if (tiles_of(g) < kLeastTiles) return false;
  const auto pairs = static_cast<double>(g.in_channels) * static_cast<double>(g.out_channels);
  const auto channels = static_cast<double>(g.in_channels) + static_cast<double>(g.out_channels);
  const auto tiles = static_cast<double>(g.batch * tiles_of(g));
  const double direct = pairs * 9 * (static_cast<double>(g.batch * g.out_spatial()) * kPerProduct + kPerWeight);
  const double transformed = pairs * kWinogradPositions * (tiles * kPerProduct + kPerWeight) +
                             channels * tiles * kWinogradTile * kWinogradTile * kPerElement;
  return transformed < kGain * direct;
}

bool is_window(const ConvAxis& axis) { return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1; }

bool has_bounds(const OperatorSpec& spec) {
  const ops::ActivationKind kind = spec.as<ops::Conv>()->activation.kind;
  return kind == ops::ActivationKind::kNone || kind == ops::ActivationKind::kRelu || kind == ops::ActivationKind::kClip;
}

#if HWY_ARCH_ARM_A64
constexpr int64_t kChunkBytes = 384 * 1024;  // of transformed inputs: fits a second-level cache of 512 KB or more
constexpr int64_t kMaxChunkTiles = 48;
constexpr int64_t kRowTiles = 14;  // transformed back at a time; the first-level cache holds them
constexpr int64_t kRowFloats = kRowTiles * kWinogradTile * kWinogradTile * kTileBlock;

class Winograd16 final : public Kernel {
 public:
  explicit Winograd16(BlockedConv conv) : conv_(std::move(conv)) {
    const ConvGeometry& g = conv_.geometry;
    columns_ = ceil_div(g.axes[2].output, kWinogradTile);
    tiles_ = tiles_of(g);
    const int64_t points = conv_.limits.grain;
    const int64_t fit = kChunkBytes / tile_floats(conv_.in_blocks()) / int64_t{sizeof(float)};
    const int64_t most = std::clamp(fit / points * points, points, kMaxChunkTiles);
    chunks_ = ceil_div(g.batch * tiles_, most);
    chunk_tiles_ = round_up(ceil_div(g.batch * tiles_, chunks_), points);
  }

  void run(const KernelCall& call) const override {
    const int64_t all = conv_.geometry.batch * tiles_;
    for (int64_t first = 0; first < all; first += chunk_tiles_) {
      const Range chunk{first, std::min(all, first + chunk_tiles_)};
      transform(call, chunk);
      multiply(call, chunk);
    }
  }
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override {
    return {saturated_bytes(chunk_tiles_, tile_floats(conv_.in_blocks()), sizeof(float)),
            saturated_bytes(chunk_tiles_ * tile_floats(1) + kRowFloats, sizeof(float), 1)};
  }

 private:
  static int64_t tile_floats(int64_t blocks) { return kWinogradPositions * kTileBlock * blocks; }

  struct Place {
    int64_t image, y, x;  // of the tile's first output
  };
  Place place_of(int64_t tile) const {
    const int64_t in_image = tile % tiles_;
    return {tile / tiles_, in_image / columns_ * kWinogradTile, in_image % columns_ * kWinogradTile};
  }
  void transform(const KernelCall& call, Range chunk) const;
  void multiply(const KernelCall& call, Range chunk) const;
  void multiply_tiles(const float* inputs, int64_t chunk_tiles, Range tiles, int64_t block, float* products) const;
  void write_tiles(const KernelCall& call, Range tiles, int64_t block, float* products) const;
  void write_rows(const KernelCall& call, const Place& place, int64_t tiles, int64_t block, const float* rows) const;

  BlockedConv conv_;
  int64_t columns_ = 0, tiles_ = 0;  // of an image
  int64_t chunks_ = 1, chunk_tiles_ = 1;
};

void Winograd16::transform(const KernelCall& call, Range chunk) const {
  const ConvGeometry& g = conv_.geometry;
  const ConvAxis &h = g.axes[1], &w = g.axes[2];
  const int64_t blocks = conv_.in_blocks(), items = blocks * chunk.size();
  const int64_t parts =
      std::min(items, task_count(items * kTileBlock, kWinogradPositions * kWinogradSide, call.parallel->num_threads()));
  auto* to = reinterpret_cast<float*>(call.shared_scratch);
  call.parallel->parallel_for(parts, [&](int64_t index, int) {
    const Range part = part_of(items, index, parts);
    for (int64_t item = part.first; item < part.last; ++item) {
      const int64_t block = item / chunk.size();
      const Place place = place_of(chunk.first + item % chunk.size());
      WinogradInput tile;
      tile.plane = call.input<float>(0) + (place.image * blocks + block) * g.in_spatial() * kTileBlock;
      tile.height = h.input;
      tile.width = w.input;
      tile.y = place.y - h.pad_begin;
      tile.x = place.x - w.pad_begin;
      tile.to = to + item * kTileBlock;
      tile.step = items * kTileBlock;
      winograd_input(tile);
    }
  });
}

// Cut along the outputs, whose weights are then read once, and along the tiles where there are few of those.
void Winograd16::multiply(const KernelCall& call, Range chunk) const {
  const int64_t blocks = conv_.out_blocks(), groups = ceil_div(chunk.size(), conv_.limits.grain);
  const int64_t wanted = task_count(chunk.size() * blocks * kTileBlock, conv_.geometry.in_channels * kWinogradPositions,
                                    call.parallel->num_threads());
  const int64_t block_parts = std::min(blocks, wanted), tile_parts = std::min(ceil_div(wanted, block_parts), groups);
  const size_t per_thread = scratch(1).per_thread;
  const auto* inputs = reinterpret_cast<const float*>(call.shared_scratch);
  call.parallel->parallel_for(block_parts * tile_parts, [&](int64_t index, int slot) {
    const Range mine = part_of(blocks, index / tile_parts, block_parts);
    const Range tiles = part_of(chunk.size(), index % tile_parts, tile_parts, conv_.limits.grain);
    auto* products = call.slot_scratch<float>(slot, per_thread);
    for (int64_t block = mine.first; block < mine.last; ++block) {
      multiply_tiles(inputs, chunk.size(), tiles, block, products);
      write_tiles(call, {chunk.first + tiles.first, chunk.first + tiles.last}, block, products);
    }
  });
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
    const Place place = place_of(t);
    const int64_t count = std::min({kRowTiles, tiles.last - t, columns_ - place.x / kWinogradTile});
    tile.to = rows;
    for (int64_t i = 0; i < count; ++i, tile.from += kTileBlock, tile.to += kWinogradTile * kTileBlock)
      winograd_output(tile);
    write_rows(call, place, count, block, rows);
    t += count;
  }
}

void Winograd16::write_rows(const KernelCall& call, const Place& place, int64_t tiles, int64_t block,
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
  return g && g->group == 1 && is_window(g->axes[1]) && is_window(g->axes[2]) && g->output.num_elements() > 0 &&
         has_bounds(spec) && accepts_blocked(spec, Layout::kBlocked16, Packing::kWinograd16) && pays(*g);
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
