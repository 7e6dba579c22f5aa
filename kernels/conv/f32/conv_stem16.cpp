// SPDX-License-Identifier: Apache-2.0
// Convolution of a plain input with few channels (an image) into a blocked16 output. A segment is one row of the
// kernel, multiplied with a row of the input. Each output row copies the input rows that it needs, including padding,
// into the thread's scratch, so tiles need no edge handling. On cores where short segments cost more than a copy, the
// inputs of each output are first gathered into one segment.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/common/math/integers.h"
#include "kernels/common/math/saturate.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_rows.h"
#include "kernels/conv/image_rows.h"

namespace nestrt::kernels {
namespace {

#if defined(__aarch64__)
constexpr bool kGathers = true;
#else
constexpr bool kGathers = false;
#endif

constexpr int64_t kCopied = 4;  // elements copied together
// The minimum number of columns per part of a row, unless there are fewer rows than threads.
constexpr int64_t kMinColumns = 56;

// Copies four elements `count` times, at constant strides. Several copies are in flight, because an in-order core
// stalls when it uses a value that is still being loaded.
void copy_fours(const float* from, int64_t from_step, float* to, int64_t to_step, int64_t count) {
  struct Four {
    float elements[kCopied];
  };
  constexpr int64_t kAtOnce = 4;
  int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    Four fours[kAtOnce];
    _Pragma("GCC unroll 4") for (Four& four : fours) std::memcpy(&four, from, sizeof four), from += from_step;
    _Pragma("GCC unroll 4") for (const Four& four : fours) std::memcpy(to, &four, sizeof four), to += to_step;
  }
  for (; i < count; ++i, from += from_step, to += to_step) std::memcpy(to, from, sizeof(Four));
}

// The destination of an output row.
struct OutputRow {
  float* output = nullptr;
  const float* residual = nullptr;  // or null
  int64_t block_stride = 0;         // also of the residual
};

class Stem16 final : public Kernel, public WindowRows {
 public:
  explicit Stem16(BlockedConv conv)
      : WindowRows(image_rows(conv.geometry, sizeof(float))), conv_(std::move(conv)), long_rows_(conv_.geometry) {
    const ConvGeometry without_units = without_unit_axes(conv_.geometry);
    if (without_units.axes[2].dilation == 1) long_rows_ = without_units;
  }

  void run(const KernelCall& call) const override;
  bool repacked() const override { return conv_.weights.repacked(); }
  ScratchSize scratch(int) const override { return {0, scratch_bytes(long_rows_)}; }
  const RowKernel* by_rows() const override { return has_rows(conv_.geometry) ? this : nullptr; }

  size_t row_scratch(int64_t) const override { return scratch_bytes(conv_.geometry); }
  void run_rows(const RowCall& call) const override;

 private:
  int64_t products() const { return conv_.geometry.in_channels * conv_.geometry.taps(); }  // per output
  // Returns the number of elements between gathered outputs, including room for the excess elements of copies.
  int64_t pixel_step(const ConvAxis& width) const {
    return round_up(products() + round_up(width.kernel, kCopied) - width.kernel, kCopied);
  }
  // Returns the number of input rows, over all channels, that one output row reads.
  static int64_t kernel_rows(const ConvGeometry& g) { return g.in_channels * g.axes[0].kernel * g.axes[1].kernel; }
  // Returns the length of an input row including padding.
  static int64_t row_length(const ConvAxis& width) { return (width.output - 1) * width.stride + width.kernel; }
  size_t scratch_bytes(const ConvGeometry& geometry) const;
  void run_columns(const KernelCall& call, int64_t row, Range columns, float* scratch) const;
  void gather_pixels(const ConvGeometry& geometry, const float* rows, float* pixels) const;
  void run_row(const ConvGeometry& geometry, const ImageRows<float>& image, int64_t row, const OutputRow& to,
               float* scratch) const;
  void multiply(const ConvGeometry& geometry, const float* from, const OutputRow& to) const;

  BlockedConv conv_;
  ConvGeometry long_rows_;  // the same convolution; images of one column are rows
};

size_t Stem16::scratch_bytes(const ConvGeometry& geometry) const {
  const ConvAxis& width = geometry.axes[2];
  const size_t rows = saturated_bytes(kernel_rows(geometry), row_length(width), sizeof(float));
  if (!kGathers) return rows;
  // After each buffer, includes room for the excess elements of its last copy.
  const size_t pixels = saturated_bytes(width.output, pixel_step(width), sizeof(float));
  size_t bytes = 2 * kCopied * sizeof(float);
  if (__builtin_add_overflow(bytes, rows, &bytes) || __builtin_add_overflow(bytes, pixels, &bytes))
    return std::numeric_limits<size_t>::max();
  return bytes;
}

// Splits rows only if there are too few rows for all threads.
void Stem16::run(const KernelCall& call) const {
  const ConvGeometry& g = long_rows_;
  const int64_t rows = g.batch * g.axes[0].output * g.axes[1].output, columns = g.axes[2].output;
  const int64_t wanted =
      task_count(g.batch * g.out_channels * g.out_spatial(), products(), call.parallel->num_threads());
  const int64_t parts = std::min(wanted, rows);
  const int64_t min_columns = rows < call.parallel->num_threads() ? conv_.limits.points : kMinColumns;
  const int64_t cuts = std::clamp<int64_t>(columns / min_columns, 1, wanted / parts);
  const size_t per_thread = scratch_bytes(g);
  call.parallel->parallel_for(parts * cuts, [&](int64_t index, int slot) {
    const Range part = part_of(rows, index / cuts, parts);
    for (int64_t row = part.first; row < part.last; ++row)
      run_columns(call, row, part_of(columns, index % cuts, cuts), call.slot_scratch<float>(slot, per_thread));
  });
}

// `row`: the row index over all images, depths and heights.
void Stem16::run_columns(const KernelCall& call, int64_t row, Range columns, float* scratch) const {
  ConvGeometry part = long_rows_;
  ConvAxis& width = part.axes[2];
  const int64_t image_rows = part.axes[0].output * part.axes[1].output, spatial = part.out_spatial();
  const int64_t image = row / image_rows;
  const int64_t at =
      (image * conv_.out_blocks() * spatial + row % image_rows * width.output + columns.first) * kTileBlock;
  const float* const residual = residual_of(call);
  width.output = columns.size();
  width.pad_begin -= columns.first * width.stride;
  run_row(part, {call.input<float>(0) + image * part.in_channels * part.in_spatial(), 0, part.in_spatial()},
          row % image_rows,
          {call.output<float>(0) + at, residual == nullptr ? nullptr : residual + at, spatial * kTileBlock}, scratch);
}

void Stem16::run_rows(const RowCall& call) const {
  const ImageRows<float> image{reinterpret_cast<const float*>(call.input), call.input_rows.first,
                               call.input_block_bytes / int64_t{sizeof(float)}};
  const int64_t row_elements = conv_.geometry.axes[2].output * kTileBlock;
  OutputRow to{reinterpret_cast<float*>(call.output), reinterpret_cast<const float*>(call.residual),
               call.output_block_bytes / int64_t{sizeof(float)}};
  for (int64_t i = 0; i < call.rows.count; ++i) {
    run_row(conv_.geometry, image, call.rows.first + i, to, reinterpret_cast<float*>(call.scratch));
    to.output += row_elements;
    if (to.residual != nullptr) to.residual += row_elements;
  }
}

void Stem16::run_row(const ConvGeometry& geometry, const ImageRows<float>& image, int64_t row, const OutputRow& to,
                     float* scratch) const {
  const int64_t length = row_length(geometry.axes[2]);
  copy_rows_under(geometry, image, row, 0.0f, length, scratch);
  if (!kGathers) return multiply(geometry, scratch, to);
  float* const pixels = scratch + kernel_rows(geometry) * length + kCopied;
  gather_pixels(geometry, scratch, pixels);
  multiply(geometry, pixels, to);
}

// Gathers the inputs of each output of a row: [outputs][channels][kernel depth][kernel height][kernel width],
// pixel_step() apart. Copies whole vectors; the next copy overwrites the excess elements.
void Stem16::gather_pixels(const ConvGeometry& geometry, const float* rows, float* pixels) const {
  const ConvAxis& width = geometry.axes[2];
  for (int64_t row = 0; row < kernel_rows(geometry); ++row, rows += row_length(width), pixels += width.kernel)
    for (int64_t k = 0; k < width.kernel; k += kCopied)
      copy_fours(rows + k, width.stride, pixels + k, pixel_step(width), width.output);
}

// `from`: input rows, or gathered pixels.
void Stem16::multiply(const ConvGeometry& geometry, const float* from, const OutputRow& to) const {
  const ConvAxis& width = geometry.axes[2];
  int64_t offsets[kMaxTilePoints];
  const int64_t step = kGathers ? pixel_step(width) : width.stride;
  for (int64_t p = 0; p < conv_.limits.points; ++p) offsets[p] = p * step;
  Tile16 tile;
  tile.offsets = offsets;
  tile.segments = 1;
  tile.chunks = kGathers ? 1 : kernel_rows(geometry);
  tile.chunk_stride = row_length(width);
  tile.length = tile.last_length = kGathers ? products() : width.kernel;
  tile.weights_stride = products() * kTileBlock;
  tile.point_stride = kTileBlock;
  tile.block_stride = to.block_stride;
  tile.activation = conv_.activation;
  const int64_t tiles = ceil_div(width.output, conv_.limits.points);
  for (int64_t block = 0; block < conv_.out_blocks(); block += conv_.limits.blocks) {
    tile.blocks = std::min(conv_.limits.blocks, conv_.out_blocks() - block);
    tile.weights = conv_.weights.data() + block * tile.weights_stride;
    tile.bias = conv_.block_bias(block);
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(width.output, t, tiles, conv_.limits.grain);
      tile.points = part.size();
      tile.input = from + part.first * step;
      const int64_t at = block * to.block_stride + part.first * kTileBlock;
      tile.output = to.output + at;
      tile.residual = to.residual == nullptr ? nullptr : to.residual + at;
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
