// SPDX-License-Identifier: Apache-2.0
// Convolution of plain tensors as a matrix product. A task copies the inputs of a chunk of outputs into a window in
// which every tap reads adjacent inputs (kernels/conv/flat_window.h), and multiplies it with the group's weights.
// Vectors contain adjacent outputs of one channel. No copies are made per tap or per output channel.
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/transpose.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/blocked.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/flat_window.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kMinSplitColumns = 64;

// Returns how far the last tap reaches, in elements of a phase.
int64_t reach(const ConvAxis& axis) { return (axis.kernel - 1) * axis.dilation / axis.stride; }

// Returns an upper bound for the number of phases of an axis.
int64_t max_phases(const ConvAxis& axis) { return std::min(axis.kernel, axis.stride); }

// Returns the number of floats in a window of `rows` x `columns` outputs. Saturates.
int64_t window_floats(const ConvGeometry& g, int64_t rows, int64_t columns) {
  const auto& [d, h, w] = g.axes;
  int64_t floats = saturating_product(g.group_inputs(), d.kernel);
  for (const int64_t factor : {max_phases(h), max_phases(w), rows + reach(h), columns + reach(w)})
    floats = saturating_product(floats, factor);
  return floats;
}

WindowAxis depth_axis(const ConvAxis& axis) {
  WindowAxis result;
  result.phases.clear();
  for (int64_t tap = 0; tap < axis.kernel; ++tap) result.phases.push_back(tap * axis.dilation);
  return result;
}

// Returns the axis of a window that covers `outputs` outputs.
WindowAxis window_axis(const ConvAxis& axis, int64_t outputs) {
  WindowAxis result;
  result.stride = axis.stride;
  result.length = outputs + reach(axis);
  result.phases.clear();
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const int64_t phase = tap * axis.dilation % axis.stride;
    if (tap > 0 && phase == 0) break;  // further taps repeat these phases
    result.phases.push_back(phase);
  }
  return result;
}

class Gemm final : public Kernel {
 public:
  Gemm(const ConvGeometry& geometry, const Activation& activation)
      : g_(geometry),
        activation_(activation),
        columns_(part_that_fits(g_.axes[2].output, [&](int64_t n) { return window_floats(g_, 1, n); })),
        rows_(part_that_fits(g_.axes[1].output, [&](int64_t n) { return window_floats(g_, n, columns_); })),
        window_(g_, {depth_axis(g_.axes[0]), window_axis(g_.axes[1], rows_), window_axis(g_.axes[2], columns_)}),
        functions_(shift_functions()),
        points_(std::min(functions_.points, g_.group_outputs())) {
    add_shifts();
  }

  void run(const KernelCall& call) const override;
  ScratchSize scratch(int) const override {
    return {0, static_cast<size_t>(window_.size() + points_ * (reduction() + kSumsStride)) * sizeof(float)};
  }

 private:
  static constexpr int64_t kMaxColumns = 512;  // maximum columns of a range
  static constexpr int64_t kSumsStride = kMaxColumns + kShiftColumns;

  // The outputs of one depth position, group and image.
  struct Chunk {
    int64_t image = 0, group = 0, depth = 0;
    Range rows, columns, channels;  // channels: in the outputs of the group
  };
  struct Parts {
    int64_t rows = 1, columns = 1, channels = 1;
  };

  int64_t reduction() const { return g_.group_inputs() * g_.taps(); }
  void add_shifts();
  Parts parts_for(int threads) const;
  void run_chunk(const KernelCall& call, const Chunk& chunk, float* scratch) const;
  void finish(const KernelCall& call, const Chunk& chunk, Range channels, const FlatRanges& ranges,
              const FlatRange& range, const float* sums) const;

  ConvGeometry g_;
  Activation activation_;
  int64_t columns_, rows_;  // largest outputs of a window
  FlatWindow window_;
  ShiftFunctions functions_;
  int64_t points_;
  std::vector<int64_t> shifts_;
};

// Adds the shifts in the order of the weights.
void Gemm::add_shifts() {
  const auto& [d, h, w] = g_.axes;
  shifts_.reserve(static_cast<size_t>(reduction()));
  const auto row_phases = static_cast<int64_t>(window_axis(h, 1).phases.size());
  const auto column_phases = static_cast<int64_t>(window_axis(w, 1).phases.size());
  for (int64_t c = 0; c < g_.group_inputs(); ++c)
    for (int64_t kd = 0; kd < d.kernel; ++kd)
      for (int64_t kh = 0; kh < h.kernel; ++kh)
        for (int64_t kw = 0; kw < w.kernel; ++kw)
          shifts_.push_back(window_.position(c, {kd, kh % row_phases, kw % column_phases}, kh * h.dilation / h.stride,
                                             kw * w.dilation / w.stride));
}

// Splits the outputs more finely than windows require if threads would otherwise be idle.
Gemm::Parts Gemm::parts_for(int threads) const {
  const auto& [d, h, w] = g_.axes;
  const int64_t units = g_.batch * g_.group * d.output;
  const int64_t wanted =
      ceil_div(task_count(g_.batch * g_.out_channels * g_.out_spatial(), reduction(), threads), units);
  Parts parts{ceil_div(h.output, rows_), ceil_div(w.output, columns_), 1};
  parts.rows = std::clamp(ceil_div(wanted, parts.columns), parts.rows, h.output);
  parts.columns =
      std::clamp(ceil_div(wanted, parts.rows), parts.columns, std::max(parts.columns, w.output / kMinSplitColumns));
  parts.channels = std::min(ceil_div(wanted, parts.rows * parts.columns), ceil_div(g_.group_outputs(), points_));
  return parts;
}

void Gemm::run(const KernelCall& call) const {
  const Parts parts = parts_for(call.parallel->num_threads());
  const int64_t depth = g_.axes[0].output, chunks = parts.rows * parts.columns * parts.channels;
  call.parallel->parallel_for(g_.batch * g_.group * depth * chunks, [&](int64_t index, int slot) {
    const int64_t part = index % chunks, unit = index / chunks;
    const int64_t window = part / parts.channels;
    Chunk chunk{unit / depth / g_.group, unit / depth % g_.group, unit % depth, {}, {}, {}};
    chunk.rows = part_of(g_.axes[1].output, window / parts.columns, parts.rows);
    chunk.columns = part_of(g_.axes[2].output, window % parts.columns, parts.columns);
    chunk.channels = part_of(g_.group_outputs(), part % parts.channels, parts.channels, points_);
    run_chunk(call, chunk, call.slot_scratch<float>(slot, scratch(1).per_thread));
  });
}

void Gemm::run_chunk(const KernelCall& call, const Chunk& chunk, float* scratch) const {
  const auto& [d, h, w] = g_.axes;
  float* const weights = scratch + window_.size();
  float* const sums = weights + points_ * reduction();
  const float* const bias = call.inputs.size() > 2 ? call.input<float>(2) : nullptr;
  const int64_t outputs = g_.group_outputs();
  window_.fill(call.input<float>(0) + (chunk.image * g_.group + chunk.group) * g_.group_inputs() * g_.in_spatial(),
               {chunk.depth * d.stride - d.pad_begin, chunk.rows.first * h.stride - h.pad_begin,
                chunk.columns.first * w.stride - w.pad_begin},
               chunk.rows.size() + reach(h), chunk.columns.size() + reach(w), scratch);
  const FlatRanges ranges(chunk.rows.size(), chunk.columns.size(), window_.pitch(), kMaxColumns);
  ShiftTile tile;
  tile.shifts = shifts_.data();
  tile.length = reduction();
  tile.weights = weights;
  tile.output = sums;
  tile.point_stride = kSumsStride;
  const int64_t tiles = ceil_div(chunk.channels.size(), points_);
  for (int64_t t = 0; t < tiles; ++t) {
    const Range part = part_of(chunk.channels.size(), t, tiles);
    const Range channels{chunk.group * outputs + chunk.channels.first + part.first,
                         chunk.group * outputs + chunk.channels.first + part.last};
    tile.points = channels.size();
    tile.bias = bias == nullptr ? nullptr : bias + channels.first;
    transpose_matrix(sizeof(float),
                     reinterpret_cast<const std::byte*>(call.input<float>(1) + channels.first * reduction()),
                     reduction(), reinterpret_cast<std::byte*>(weights), tile.points, tile.points, reduction());
    for (int64_t i = 0; i < ranges.count(); ++i) {
      const FlatRange range = ranges.at(i);
      tile.columns = range.last - range.first;
      tile.input = scratch + range.first;
      functions_.tile(tile);
      finish(call, chunk, channels, ranges, range, sums);
    }
  }
}

void Gemm::finish(const KernelCall& call, const Chunk& chunk, Range channels, const FlatRanges& ranges,
                  const FlatRange& range, const float* sums) const {
  const float* const residual = residual_of(call);
  const auto &d = g_.axes[0], &h = g_.axes[1], &w = g_.axes[2];
  for (int64_t m = channels.first; m < channels.last; ++m, sums += kSumsStride) {
    const int64_t plane = (chunk.image * g_.out_channels + m) * d.output + chunk.depth;
    ranges.for_each_run(range, [&](int64_t row, int64_t column, int64_t count, int64_t position) {
      const int64_t at = (plane * h.output + chunk.rows.first + row) * w.output + chunk.columns.first + column;
      functions_.finish(activation_, {sums + position, residual == nullptr ? nullptr : residual + at,
                                      call.output<float>(0) + at, count});
    });
  }
}

}  // namespace

bool accepts_conv_gemm(const OperatorSpec& spec) {
  if (!accepts_conv_plain_f32(spec)) return false;
  const Result<ConvGeometry> g = conv_geometry(spec);
  return g && window_floats(*g, 1, 1) <= kMaxWindowFloats;
}

// Accepts convolutions with few output channels. (With few input channels, blocks would also be mostly empty, but other
// kernels with cheaper layouts already avoid them.) For more input channels, compares the vector products per input
// channel and pixel: here, a vector contains 16 adjacent pixels; in blocked tensors, it contains 16 output channels,
// and 3 x 3 kernels need fewer products.
bool accepts_conv_gemm_narrow(const OperatorSpec& spec) {
  constexpr double kEfficiency = 0.7;  // relative speed of products with few output channels
  constexpr double kReorder = 1;  // cost of reordering the input, because its producer and other users may be blocked
  constexpr double kWinogradSpeedup = 2.25;  // upper bound
  constexpr double kMinSpeedup = 1.5;
  if (!accepts_conv_gemm(spec)) return false;
  const ConvGeometry g = conv_geometry(spec).value();
  const auto is_winograd = [](const ConvAxis& axis) {
    return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
  };
  const double products = static_cast<double>(g.taps()) / kTileBlock;
  const double flat = products * static_cast<double>(g.out_channels) / kEfficiency + kReorder;
  const double blocked = products * static_cast<double>(round_up(g.out_channels, kTileBlock)) /
                         (is_winograd(g.axes[1]) && is_winograd(g.axes[2]) ? kWinogradSpeedup : 1);
  return g.group == 1 && g.in_channels > kStemChannels && flat * kMinSpeedup <= blocked;
}

Result<std::unique_ptr<Kernel>> prepare_conv_gemm(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_geometry(spec));
  return std::unique_ptr<Kernel>(std::make_unique<Gemm>(with_merged_axes(geometry), spec.as<ops::Conv>()->activation));
}

}  // namespace nestrt::kernels
