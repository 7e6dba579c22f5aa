// SPDX-License-Identifier: Apache-2.0
// s8 convolution of an input with few channels (an image), plain or in blocks of 16 folded channels, into a blocked16
// output. For each output row, its input rows (including padding) are interleaved column by column in the thread's
// scratch, so that the inputs of an output are contiguous bytes.
#include <algorithm>
#include <optional>

#include "kernels/common/math/integers.h"
#include "kernels/common/math/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_rows.h"
#include "kernels/conv/image_rows.h"
#include "kernels/conv/s8/conv_s8_stem16.h"
#include "kernels/conv/s8/conv_s8_unfold.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kRowPoints = 240;  // points per call of the product, which splits them further if needed

class S8Stem16 final : public Kernel, public WindowRows {
 public:
  // `tiles`: null if product.run() computes the sums.
  S8Stem16(const ConvGeometry& geometry, Layout input, S8Product product, std::unique_ptr<S8StemRows> tiles)
      : WindowRows(image_rows(geometry, 1)),
        geometry_(geometry),
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

  const RowKernel* by_rows() const override {
    return !unfold_ && !product_.outputs().wide() && has_rows(geometry_) ? this : nullptr;
  }

  size_t row_scratch(int64_t) const override { return scratch(1).per_thread; }
  void run_rows(const RowCall& call) const override;

 private:
  int64_t step() const { return geometry_.axes[2].stride * rows_; }  // between outputs of a row
  void load_rows(const KernelCall& call, int64_t image, int64_t row, int8_t* rows) const;
  void copy_rows(const ImageRows<int8_t>& image, int64_t row, int8_t* rows) const;
  void run_row(int8_t* scratch, S8StemRow& row) const;
  void multiply(const S8StemRow& row) const;
  void for_each(Range rows, FunctionRef<void(int64_t row)> run_one) const;

  ConvGeometry geometry_;
  S8Product product_;
  std::unique_ptr<S8StemRows> tiles_;
  S8InterleaveFunction interleave_;
  int64_t rows_ = 0;                // input rows under a row of outputs
  int64_t columns_ = 0;             // padded input columns, a multiple of 16
  int64_t stride_ = 0;              // between copied rows
  int64_t segment_ = 0;             // bytes per output; weights past the reduction are zeros
  std::optional<S8Unfold> unfold_;  // for an input that is not plain
};

void S8Stem16::run(const KernelCall& call) const {
  const ConvGeometry& g = geometry_;
  const int64_t image_rows = g.axes[0].output * g.axes[1].output, rows = g.batch * image_rows;
  const int64_t wanted = task_count(g.batch * g.out_channels * g.out_spatial(),
                                    f32_products(g.in_channels * g.taps(), 1), call.parallel->num_threads());
  const int64_t parts = std::min(wanted, rows), out_blocks = ceil_div(g.out_channels, kTileBlock);
  const size_t per_thread = scratch(1).per_thread;
  call.parallel->parallel_for(parts, [&](int64_t index, int slot) {
    auto* const copy = call.slot_scratch<int8_t>(slot, per_thread);
    for_each(part_of(rows, index, parts), [&](int64_t i) {
      const int64_t image = i / image_rows, row = i % image_rows;
      load_rows(call, image, row, copy);
      S8StemRow to;
      to.output = call.outputs[0];
      to.residual = call.inputs.size() > 3 ? call.input<int8_t>(3) : nullptr;
      to.at = (image * out_blocks * g.out_spatial() + row * g.axes[2].output) * kTileBlock;
      to.block_stride = g.out_spatial() * kTileBlock;
      run_row(copy, to);
    });
  });
}

void S8Stem16::run_rows(const RowCall& call) const {
  auto* const copy = reinterpret_cast<int8_t*>(call.scratch);
  const ImageRows<int8_t> image{reinterpret_cast<const int8_t*>(call.input), call.input_rows.first,
                                call.input_block_bytes};
  for_each({0, call.rows.count}, [&](int64_t i) {
    copy_rows(image, call.rows.first + i, copy);
    S8StemRow to;
    to.output = call.output;
    to.residual = reinterpret_cast<const int8_t*>(call.residual);
    to.at = i * geometry_.axes[2].output * kTileBlock;
    to.block_stride = call.output_block_bytes;
    run_row(copy, to);
  });
}

void S8Stem16::for_each(Range rows, FunctionRef<void(int64_t row)> run_one) const {
  if (tiles_) return tiles_->run(rows, run_one);
  for (int64_t row = rows.first; row < rows.last; ++row) run_one(row);
}

void S8Stem16::load_rows(const KernelCall& call, int64_t image, int64_t row, int8_t* rows) const {
  const auto* const input = call.input<int8_t>(0);
  if (unfold_) return unfold_->run(input, image, row, rows);
  const int64_t channel = geometry_.in_spatial();
  copy_rows({input + image * geometry_.in_channels * channel, 0, channel}, row, rows);
}

void S8Stem16::copy_rows(const ImageRows<int8_t>& image, int64_t row, int8_t* rows) const {
  copy_rows_under(geometry_, image, row, product_.outputs().input_zero(), columns_, rows);
}

// `scratch`: the input rows, followed by memory for their interleaved columns.
void S8Stem16::run_row(int8_t* scratch, S8StemRow& row) const {
  int8_t* const columns = scratch + rows_ * stride_;
  interleave_(scratch, stride_, rows_, columns_, columns);
  row.columns = columns;
  row.step = step();
  if (tiles_) return tiles_->run_row(product_, row);
  multiply(row);
}

void S8Stem16::multiply(const S8StemRow& row) const {
  const ConvAxis& width = geometry_.axes[2];
  const TileLimits limits = product_.limits();
  const int64_t out_blocks = ceil_div(geometry_.out_channels, kTileBlock);
  int64_t offsets[kRowPoints];
  for (int64_t p = 0; p < std::min(kRowPoints, width.output); ++p) offsets[p] = p * row.step;
  S8Tile tile;
  tile.segments = tile.chunks = 1;
  tile.length = segment_;
  S8Finish finish;
  finish.point_stride = kTileBlock;
  finish.block_stride = row.block_stride;
  const int64_t tiles = ceil_div(width.output, kRowPoints);
  for (int64_t block = 0; block < out_blocks; block += limits.blocks) {
    tile.blocks = std::min(limits.blocks, out_blocks - block);
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(width.output, t, tiles, limits.grain);
      tile.points = part.size();
      tile.input = row.columns + part.first * row.step;
      tile.offsets = offsets;
      const int64_t at = row.at + block * row.block_stride + part.first * kTileBlock;
      product_.outputs().place(row.output, row.residual, at, finish);
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
  const bool has_tiles = supports_s8_stem_tiles(g);
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
