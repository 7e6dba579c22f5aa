// s8 convolution of an input with few channels, a picture, plain or in blocks of 16 folded channels, into a blocked16
// output. Under each row of outputs the input rows that it needs, with their padding, are interleaved column by column
// in scratch of its thread: so all that an output reads is one run of bytes, as long as its reduction.
#include <algorithm>
#include <optional>

#include "kernels/common/integers.h"
#include "kernels/common/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_s8_stem16.h"
#include "kernels/conv/conv_s8_unfold.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kRowPoints = 240;  // of which the product, which cuts them where it has to, is told at once

class S8Stem16 final : public Kernel {
 public:
  // `tiles` are null where product.run() computes.
  S8Stem16(const ConvGeometry& geometry, Layout input, S8Product product, std::unique_ptr<S8StemRows> tiles)
      : geometry_(geometry),
        product_(std::move(product)),
        tiles_(std::move(tiles)),
        interleave_(s8_interleave_function()) {
    const auto& [d, h, w] = geometry_.axes;
    rows_ = geometry_.in_channels * d.kernel * h.kernel;
    columns_ = round_up((w.output - 1) * w.stride + w.kernel, 16);
    stride_ = columns_;
    segment_ = product_.block_bytes() / kTileBlock;
    if (input == Layout::kPlain) return;
    unfold_.emplace(geometry_, input, columns_);
    stride_ = unfold_->stride();
  }

  void run(const KernelCall& call) const override;
  bool repacked() const override { return product_.repacked(); }
  ScratchSize scratch(int) const override {
    const int64_t read = tiles_ ? tiles_->slack(step()) : kTileBlock;
    const size_t behind = static_cast<size_t>(read + kInterleaveSlack);
    return {0, std::min(saturated_bytes(2 * rows_, stride_, 1), SIZE_MAX - behind) + behind};
  }

 private:
  int64_t step() const { return geometry_.axes[2].stride * rows_; }  // between outputs of a row
  void bring_rows(const int8_t* input, int64_t image, int64_t row, int8_t* rows) const;
  void copy_rows(const int8_t* image, int64_t row, int8_t* rows) const;
  void run_row(const KernelCall& call, int64_t image, int64_t row, const int8_t* columns) const;

  ConvGeometry geometry_;
  S8Product product_;
  std::unique_ptr<S8StemRows> tiles_;
  S8InterleaveFunction interleave_;
  int64_t rows_ = 0;                // input rows under a row of outputs
  int64_t columns_ = 0;             // padded input columns, a multiple of 16
  int64_t stride_ = 0;              // of the copied rows
  int64_t segment_ = 0;             // bytes under an output: the weights of those past the reduction are zeros
  std::optional<S8Unfold> unfold_;  // of an input that is not plain
};

void S8Stem16::run(const KernelCall& call) const {
  const ConvGeometry& g = geometry_;
  const int64_t image_rows = g.axes[0].output * g.axes[1].output, rows = g.batch * image_rows;
  const int64_t wanted = task_count(g.batch * g.out_channels * g.out_spatial(),
                                    f32_products(g.in_channels * g.taps(), 1), call.parallel->num_threads());
  const int64_t parts = std::min(wanted, rows);
  const size_t per_thread = scratch(1).per_thread;
  call.parallel->parallel_for(parts, [&](int64_t index, int slot) {
    auto* copy = call.slot_scratch<int8_t>(slot, per_thread);
    int8_t* columns = copy + rows_ * stride_;
    const Range part = part_of(rows, index, parts);
    const auto run_one = [&](int64_t i) {
      const int64_t image = i / image_rows, row = i % image_rows;
      bring_rows(call.input<int8_t>(0), image, row, copy);
      interleave_(copy, stride_, rows_, columns_, columns);
      if (tiles_) return tiles_->run_row(product_, call, {columns, step(), image, row});
      run_row(call, image, row, columns);
    };
    if (tiles_) return tiles_->run(part, run_one);
    for (int64_t i = part.first; i < part.last; ++i) run_one(i);
  });
}

void S8Stem16::bring_rows(const int8_t* input, int64_t image, int64_t row, int8_t* rows) const {
  if (unfold_) return unfold_->run(input, image, row, rows);
  copy_rows(input + image * geometry_.in_channels * geometry_.in_spatial(), row, rows);
}

// The input rows under a row of outputs: [channels][kernel depth][kernel height][columns_].
void S8Stem16::copy_rows(const int8_t* image, int64_t row, int8_t* rows) const {
  const auto& [d, h, w] = geometry_.axes;
  const int64_t z = row / h.output, y = row % h.output;
  const int8_t zero = product_.outputs().input_zero();
  const int64_t begin = std::min(w.pad_begin, columns_), end = std::clamp(columns_, begin, begin + w.input);
  for (int64_t c = 0; c < geometry_.in_channels; ++c)
    for (int64_t kd = 0; kd < d.kernel; ++kd)
      for (int64_t kh = 0; kh < h.kernel; ++kh, rows += columns_) {
        const int64_t iz = tap_position(d, z, kd), iy = tap_position(h, y, kh);
        const bool inside = (iz | iy) >= 0;
        std::fill(rows, rows + (inside ? begin : columns_), zero);
        if (!inside) continue;
        std::copy_n(image + ((c * d.input + iz) * h.input + iy) * w.input, end - begin, rows + begin);
        std::fill(rows + end, rows + columns_, zero);
      }
}

void S8Stem16::run_row(const KernelCall& call, int64_t image, int64_t row, const int8_t* columns) const {
  const ConvGeometry& g = geometry_;
  const ConvAxis& width = g.axes[2];
  const TileLimits limits = product_.limits();
  const int64_t out_blocks = ceil_div(g.out_channels, kTileBlock), step = this->step();
  int64_t offsets[kRowPoints];
  for (int64_t p = 0; p < std::min(kRowPoints, width.output); ++p) offsets[p] = p * step;
  S8Tile tile;
  tile.segments = tile.chunks = 1;
  tile.length = segment_;
  S8Finish finish;
  finish.point_stride = kTileBlock;
  finish.block_stride = g.out_spatial() * kTileBlock;
  const int64_t tiles = ceil_div(width.output, kRowPoints);
  for (int64_t block = 0; block < out_blocks; block += limits.blocks) {
    tile.blocks = std::min(limits.blocks, out_blocks - block);
    const int64_t row_at = (image * out_blocks + block) * g.out_spatial() + row * width.output;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(width.output, t, tiles, limits.grain);
      tile.points = part.size();
      tile.input = columns + part.first * step;
      tile.offsets = offsets;
      product_.outputs().place(call, (row_at + part.first) * kTileBlock, finish);
      product_.run(block, tile, finish);
    }
  }
}

}  // namespace

bool accepts_conv_s8_stem16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  if (!g || g->group != 1 || g->axes[2].dilation != 1 || g->in_channels > kStemChannels) return false;
  const TensorSpec& input = spec.inputs[0];
  return (input.layout == Layout::kPlain || S8Unfold::accepts(*g, input)) &&
         accepts_s8_blocked(spec, input.layout, Packing::kS8Stem);
}

Result<std::unique_ptr<Kernel>> prepare_conv_s8_stem16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_geometry(spec));
  const int64_t block_bytes = round_up(g.in_channels * g.taps(), kS8Grain) * kTileBlock;
  const bool has_tiles = takes_s8_stem_tiles(g);
  const auto multiplier = has_tiles ? S8Product::Multiplier::kCaller : S8Product::Multiplier::kTile;
  NESTRT_ASSIGN_OR_RETURN(S8Product product, make_s8_conv(spec, g, Packing::kS8Stem, block_bytes, multiplier));
  std::unique_ptr<S8StemRows> tiles;
  if (has_tiles) {
    NESTRT_ASSIGN_OR_RETURN(tiles, make_s8_stem_tiles(g, product));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<S8Stem16>(g, spec.inputs[0].layout, std::move(product), std::move(tiles)));
}

}  // namespace nestrt::kernels
