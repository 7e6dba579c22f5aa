// Convolution of a plain input with few channels, a picture, into a blocked16 output. A segment is one row of the
// kernel: its products walk along a row of the input. Each row of outputs copies the input rows that it needs, with
// their padding, into scratch of its thread, so that the tiles need no edges.
#include <algorithm>

#include "kernels/common/integers.h"
#include "kernels/common/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"

namespace nestrt::kernels {
namespace {

class Stem16 final : public Kernel {
 public:
  explicit Stem16(BlockedConv conv) : conv_(std::move(conv)) {
    const auto& [d, h, w] = conv_.geometry.axes;
    kernel_rows_ = conv_.geometry.in_channels * d.kernel * h.kernel;
    row_length_ = (w.output - 1) * w.stride + w.kernel;
  }

  void run(const KernelCall& call) const override;
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override { return {0, saturated_bytes(kernel_rows_, row_length_, sizeof(float))}; }

 private:
  void copy_rows(const float* image, int64_t row, float* rows) const;
  void run_row(const KernelCall& call, int64_t image, int64_t row, const float* rows) const;

  BlockedConv conv_;
  int64_t kernel_rows_ = 0;
  int64_t row_length_ = 0;  // a padded input row's
};

void Stem16::run(const KernelCall& call) const {
  const ConvGeometry& g = conv_.geometry;
  const int64_t image_rows = g.axes[0].output * g.axes[1].output, rows = g.batch * image_rows;
  const int64_t wanted =
      task_count(g.batch * g.out_channels * g.out_spatial(), g.in_channels * g.taps(), call.parallel->num_threads());
  const int64_t parts = std::min(wanted, rows);
  const size_t per_thread = scratch(1).per_thread;
  call.parallel->parallel_for(parts, [&](int64_t index, int slot) {
    auto* copy = call.slot_scratch<float>(slot, per_thread);
    const Range part = part_of(rows, index, parts);
    for (int64_t i = part.first; i < part.last; ++i) {
      const int64_t image = i / image_rows, row = i % image_rows;
      copy_rows(call.input<float>(0) + image * g.in_channels * g.in_spatial(), row, copy);
      run_row(call, image, row, copy);
    }
  });
}

// The input rows under a row of outputs: [channels][kernel depth][kernel height][row_length_].
void Stem16::copy_rows(const float* image, int64_t row, float* rows) const {
  const auto& [d, h, w] = conv_.geometry.axes;
  const int64_t z = row / h.output * d.stride - d.pad_begin, y = row % h.output * h.stride - h.pad_begin;
  const int64_t begin = std::min(w.pad_begin, row_length_);
  const int64_t end = std::clamp(row_length_, begin, begin + w.input);
  for (int64_t c = 0; c < conv_.geometry.in_channels; ++c)
    for (int64_t kd = 0; kd < d.kernel; ++kd)
      for (int64_t kh = 0; kh < h.kernel; ++kh, rows += row_length_) {
        const int64_t iz = z + kd * d.dilation, iy = y + kh * h.dilation;
        const bool inside = iz >= 0 && iz < d.input && iy >= 0 && iy < h.input;
        std::fill(rows, rows + (inside ? begin : row_length_), 0.0f);
        if (!inside) continue;
        std::copy_n(image + ((c * d.input + iz) * h.input + iy) * w.input, end - begin, rows + begin);
        std::fill(rows + end, rows + row_length_, 0.0f);
      }
}

void Stem16::run_row(const KernelCall& call, int64_t image, int64_t row, const float* rows) const {
  const ConvGeometry& g = conv_.geometry;
  const ConvAxis& width = g.axes[2];
  const float* residual = residual_of(call);
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < conv_.limits.points; ++p) offsets[p] = p * width.stride;
  Tile16 tile;
  tile.offsets = offsets;
  tile.segments = 1;
  tile.chunks = kernel_rows_;
  tile.chunk_stride = row_length_;
  tile.length = tile.last_length = width.kernel;
  tile.weights_stride = g.in_channels * g.taps() * kTileBlock;
  tile.point_stride = kTileBlock;
  tile.block_stride = g.out_spatial() * kTileBlock;
  tile.activation = conv_.activation;
  const int64_t tiles = ceil_div(width.output, conv_.limits.points);
  for (int64_t block = 0; block < conv_.out_blocks(); block += conv_.limits.blocks) {
    tile.blocks = std::min(conv_.limits.blocks, conv_.out_blocks() - block);
    tile.weights = conv_.weights.data() + block * tile.weights_stride;
    tile.bias = conv_.block_bias(block);
    const int64_t row_at = (image * conv_.out_blocks() + block) * g.out_spatial() + row * width.output;
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(width.output, t, tiles);
      tile.points = part.size();
      tile.input = rows + part.first * width.stride;
      tile.output = call.output<float>(0) + (row_at + part.first) * kTileBlock;
      tile.residual = residual == nullptr ? nullptr : residual + (row_at + part.first) * kTileBlock;
      conv_.tile(tile);
    }
  }
}

}  // namespace

bool accepts_conv_stem16(const OperatorSpec& spec) {
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && g->group == 1 && g->axes[2].dilation == 1 && g->in_channels <= kStemChannels &&
         accepts_blocked(spec, Layout::kPlain, Packing::kStem16);
}

Result<std::unique_ptr<Kernel>> prepare_conv_stem16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(BlockedConv conv, make_blocked_conv(spec, Packing::kStem16));
  return std::unique_ptr<Kernel>(std::make_unique<Stem16>(std::move(conv)));
}

}  // namespace nestrt::kernels
