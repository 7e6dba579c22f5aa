// SPDX-License-Identifier: Apache-2.0
// Transposed convolution of plain tensors as matrix products (kernels/conv_transpose/transposed_products.h). A task
// copies the inputs of a chunk of outputs once for all phases, taps and output channels. Vectors contain adjacent
// outputs of a phase. The sums of the phases are interleaved into rows of outputs.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/conv_transpose/transposed_products.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kMaxColumns = 512;       // maximum columns of a tile
constexpr int64_t kSumFloats = 16 * 1024;  // size of the sums of rows that are computed together
constexpr int64_t kMinSplitColumns = 64;

TransposedAxes transposed_axes(const ConvGeometry& g) {
  return {TransposedAxis(g.axes[0]), TransposedAxis(g.axes[1]), TransposedAxis(g.axes[2])};
}

// Returns the number of floats in the window of a chunk of `rows` x `columns` units. Saturates.
int64_t window_floats(const ConvGeometry& g, const TransposedAxes& axes, int64_t rows, int64_t columns) {
  int64_t floats = g.group_inputs();
  for (const int64_t factor : {axes[0].reach + 1, rows + axes[1].reach, columns + axes[2].reach})
    floats = saturating_product(floats, factor);
  return floats;
}

// Uses phases of the window for depth positions, because a chunk has a single depth.
FlatWindow make_window(const ConvGeometry& g, const TransposedAxes& axes, int64_t rows, int64_t columns) {
  std::array<WindowAxis, 3> result;
  result[0].phases.clear();
  for (int64_t i = 0; i <= axes[0].reach; ++i) result[0].phases.push_back(i);
  result[1].length = rows + axes[1].reach;
  result[2].length = columns + axes[2].reach;
  return FlatWindow(g, std::move(result));
}

// Returns the number of output rows that fill a tile.
int64_t units_of_tile(const TransposedAxis& width, int64_t points) {
  int64_t most = 1;
  for (const PhaseClass& phases : width.classes) most = std::max(most, phases.size());
  return std::max<int64_t>(1, points / most);
}

class Gemm final : public Kernel {
 public:
  Gemm(const ConvGeometry& geometry, const Activation& activation)
      : g_(geometry),
        activation_(activation),
        axes_(transposed_axes(g_)),
        has_gaps_(has_gaps(g_, {axes_[0].phases, axes_[1].phases, axes_[2].phases})),
        columns_(part_that_fits(axes_[2].outputs, [&](int64_t n) { return window_floats(g_, axes_, 1, n); })),
        rows_(part_that_fits(axes_[1].outputs, [&](int64_t n) { return window_floats(g_, axes_, n, columns_); })),
        window_(make_window(g_, axes_, rows_, columns_)),
        functions_(shift_functions()),
        unit_block_(units_of_tile(axes_[2], functions_.points)),
        products_(g_, axes_, window_, unit_block_, functions_.points) {
    const int64_t columns = kSumFloats / std::max<int64_t>(1, unit_block_ * axes_[2].num_phases());
    max_columns_ = std::clamp<int64_t>(columns / kShiftColumns * kShiftColumns, kShiftColumns, kMaxColumns);
  }

  // Sorts constant weights once, in advance. Errors: kOutOfMemory.
  Status sort_constant(const float* weights) {
    sorted_ = AlignedFloats(num_weights());
    if (sorted_.data() == nullptr) return Status(Code::kOutOfMemory, "no memory for sorted weights");
    products_.sort_weights(weights, sorted_.data());
    return {};
  }

  void run(const KernelCall& call) const override;
  ScratchSize scratch(int) const override {
    const int64_t weights = sorted_.data() != nullptr ? 0 : num_weights();
    return {static_cast<size_t>(weights) * sizeof(float), slot_bytes()};
  }

 private:
  // Outputs at one depth of one group of one image, numbered within their phases.
  struct Chunk {
    int64_t image = 0, group = 0, depth = 0;
    Range rows, columns;
    int64_t part = 0, parts = 1;  // of the blocks of units
  };
  struct Parts {
    int64_t rows = 1, columns = 1, units = 1;
    int64_t count() const { return rows * columns * units; }
  };
  // The scratch of a thread.
  struct Scratch {
    float* window;
    float* sums;         // [width classes][units][phases of the class][sums_stride()]
    float* line;         // a row of outputs
    const float** rows;  // the sums of each phase
  };

  int64_t num_weights() const { return g_.in_channels * g_.group_outputs() * g_.taps(); }
  int64_t sums_stride() const { return max_columns_ + kShiftColumns; }
  size_t slot_bytes() const {
    const int64_t phases = axes_[2].num_phases();
    return static_cast<size_t>(window_.size() + (unit_block_ + 1) * phases * sums_stride()) * sizeof(float) +
           static_cast<size_t>(phases + 1) * sizeof(const float*);
  }
  Scratch scratch_at(std::byte* slot) const;
  Parts parts_for(int threads) const;
  void run_chunk(const KernelCall& call, const float* weights, const Chunk& chunk, const Scratch& scratch) const;
  void run_units(const KernelCall& call, const float* weights, const Chunk& chunk, size_t first_product, Range units,
                 const Scratch& scratch) const;
  void multiply(const TransposedProduct& product, const float* weights, const float* bias, Range units,
                ShiftTile tile) const;
  void finish(const KernelCall& call, const Chunk& chunk, const TransposedProduct& product, int64_t unit,
              const FlatRanges& ranges, const FlatRange& range, const Scratch& scratch) const;
  void finish_run(const KernelCall& call, int64_t line, int64_t first, int64_t count, int64_t position,
                  const Scratch& scratch) const;

  ConvGeometry g_;
  Activation activation_;
  TransposedAxes axes_;
  bool has_gaps_;
  int64_t columns_, rows_;  // largest outputs of a window
  FlatWindow window_;
  ShiftFunctions functions_;
  int64_t unit_block_, max_columns_ = kShiftColumns;
  TransposedProducts products_;
  AlignedFloats sorted_;
};

Gemm::Scratch Gemm::scratch_at(std::byte* slot) const {
  const int64_t phases = axes_[2].num_phases();
  Scratch result{};
  result.window = reinterpret_cast<float*>(slot);
  result.sums = result.window + window_.size();
  result.line = result.sums + unit_block_ * phases * sums_stride();
  const int64_t floats = window_.size() + (unit_block_ + 1) * phases * sums_stride();
  result.rows = reinterpret_cast<const float**>(slot + round_up(floats * int64_t{sizeof(float)}, sizeof(float*)));
  return result;
}

// Splits the outputs more finely than windows require if threads would otherwise be idle.
Gemm::Parts Gemm::parts_for(int threads) const {
  const int64_t rows = axes_[1].outputs, columns = axes_[2].outputs;
  const int64_t sums = g_.batch * g_.in_channels * g_.in_spatial();
  const int64_t wanted =
      ceil_div(task_count(sums, g_.group_outputs() * g_.taps(), threads), g_.batch * g_.group * axes_[0].outputs);
  Parts parts{ceil_div(rows, rows_), ceil_div(columns, columns_), 1};
  parts.rows = std::clamp(ceil_div(wanted, parts.columns), parts.rows, rows);
  parts.columns =
      std::clamp(ceil_div(wanted, parts.rows), parts.columns, std::max(parts.columns, columns / kMinSplitColumns));
  parts.units = std::min(ceil_div(wanted, parts.rows * parts.columns), ceil_div(g_.group_outputs(), unit_block_));
  return parts;
}

void Gemm::run(const KernelCall& call) const {
  const float* sorted = sorted_.data();
  if (sorted == nullptr) {
    float* target = reinterpret_cast<float*>(call.shared_scratch);
    products_.sort_weights(call.input<float>(1), target);
    sorted = target;
  }
  if (has_gaps_) fill_gaps(g_, activation_, call);
  if (products_.products().empty()) return;
  const Parts parts = parts_for(call.parallel->num_threads());
  const int64_t depth = axes_[0].outputs;
  call.parallel->parallel_for(g_.batch * g_.group * depth * parts.count(), [&](int64_t index, int slot) {
    const int64_t part = index % parts.count(), plane = index / parts.count(), window = part / parts.units;
    Chunk chunk{
        plane / depth / g_.group, plane / depth % g_.group, plane % depth, {}, {}, part % parts.units, parts.units};
    chunk.rows = part_of(axes_[1].outputs, window / parts.columns, parts.rows);
    chunk.columns = part_of(axes_[2].outputs, window % parts.columns, parts.columns);
    const float* const weights = sorted + chunk.group * g_.group_inputs() * g_.group_outputs() * g_.taps();
    run_chunk(call, weights, chunk, scratch_at(call.slot_scratch<std::byte>(slot, slot_bytes())));
  });
}

void Gemm::run_chunk(const KernelCall& call, const float* weights, const Chunk& chunk, const Scratch& scratch) const {
  const int64_t group = chunk.image * g_.group + chunk.group;
  window_.fill(
      call.input<float>(0) + group * g_.group_inputs() * g_.in_spatial(),
      {chunk.depth + axes_[0].lowest, chunk.rows.first + axes_[1].lowest, chunk.columns.first + axes_[2].lowest},
      chunk.rows.size() + axes_[1].reach, chunk.columns.size() + axes_[2].reach, scratch.window);
  const std::vector<TransposedProduct>& products = products_.products();
  for (size_t first = 0; first < products.size(); first += axes_[2].classes.size()) {
    const int64_t blocks = ceil_div(products_.num_units(products[first]), unit_block_);
    const Range part = part_of(blocks, chunk.part, chunk.parts);
    for (int64_t block = part.first; block < part.last; ++block)
      run_units(call, weights, chunk, first, products_.unit_block(products[first], block), scratch);
  }
}

// Computes units of all products that have the same classes of depth and height as `first_product`.
void Gemm::run_units(const KernelCall& call, const float* weights, const Chunk& chunk, size_t first_product,
                     Range units, const Scratch& scratch) const {
  const FlatRanges ranges(chunk.rows.size(), chunk.columns.size(), window_.pitch(), max_columns_);
  const float* const bias = call.inputs.size() > 2 ? call.input<float>(2) : nullptr;
  for (int64_t i = 0; i < ranges.count(); ++i) {
    const FlatRange range = ranges.at(i);
    ShiftTile tile;
    tile.input = scratch.window + range.first;
    tile.columns = range.last - range.first;
    tile.output = scratch.sums;
    tile.point_stride = sums_stride();
    for (size_t w = 0; w < axes_[2].classes.size(); ++w) {
      const TransposedProduct& product = products_.products()[first_product + w];
      multiply(product, weights, bias == nullptr ? nullptr : bias + chunk.group * g_.group_outputs(), units, tile);
      tile.output += units.size() * product.classes[2]->size() * sums_stride();
    }
    for (int64_t unit = units.first; unit < units.last; ++unit) {
      const float* sums = scratch.sums;
      for (const PhaseClass& phases : axes_[2].classes) {
        for (int64_t p = 0; p < phases.size(); ++p)
          scratch.rows[phases.members[static_cast<size_t>(p)]] =
              sums + ((unit - units.first) * phases.size() + p) * sums_stride();
        sums += units.size() * phases.size() * sums_stride();
      }
      finish(call, chunk, products_.products()[first_product], unit, ranges, range, scratch);
    }
  }
}

// Computes the sums of units as [points][tile.point_stride]. `weights` and `bias`: those of the group.
void Gemm::multiply(const TransposedProduct& product, const float* weights, const float* bias, Range units,
                    ShiftTile tile) const {
  const int64_t points_per_channel = product.units_per_channel() * product.classes[2]->size();
  float point_bias[kMaxShiftPoints];
  tile.shifts = product.shifts.data();
  tile.length = product.length();
  if (bias != nullptr) tile.bias = point_bias;
  products_.for_each_tile(product, units, [&](Range points) {
    tile.points = points.size();
    tile.weights = weights + product.first_weight + points.first * product.length();
    for (int64_t p = 0; p < points.size() && bias != nullptr; ++p)
      point_bias[p] = bias[(points.first + p) / points_per_channel];
    functions_.tile(tile);
    tile.output += points.size() * tile.point_stride;
  });
}

void Gemm::finish(const KernelCall& call, const Chunk& chunk, const TransposedProduct& product, int64_t unit,
                  const FlatRanges& ranges, const FlatRange& range, const Scratch& scratch) const {
  const auto &d = g_.axes[0], &h = g_.axes[1], &w = g_.axes[2];
  const auto phase_of = [&](size_t axis, int64_t member) -> const AxisPhase& {
    return axes_[axis].phases[product.classes[axis]->members[static_cast<size_t>(member)]];
  };
  const int64_t channel = unit / product.units_per_channel(), heights = product.classes[1]->size();
  const AxisPhase& depth = phase_of(0, unit / heights % product.classes[0]->size());
  const AxisPhase& height = phase_of(1, unit % heights);
  if (chunk.depth >= depth.outputs) return;
  const int64_t plane = ((chunk.image * g_.group + chunk.group) * g_.group_outputs() + channel) * d.output +
                        chunk.depth * d.stride + depth.phase;
  ranges.for_each_run(range, [&](int64_t row, int64_t column, int64_t count, int64_t position) {
    const int64_t y = chunk.rows.first + row;
    if (y >= height.outputs) return;
    finish_run(call, (plane * h.output + y * h.stride + height.phase) * w.output, chunk.columns.first + column, count,
               position, scratch);
  });
}

// Stores `count` outputs of each phase of a row, starting at index `first` of the phase. `line`: the index of the first
// element of the row. `position`: the position of the sums.
void Gemm::finish_run(const KernelCall& call, int64_t line, int64_t first, int64_t count, int64_t position,
                      const Scratch& scratch) const {
  const ConvAxis& width = g_.axes[2];
  const std::vector<AxisPhase>& phases = axes_[2].phases;
  const float* const residual = call.inputs.size() > 3 ? call.input<float>(3) : nullptr;
  const auto store = [&](const float* sums, int64_t at, int64_t outputs) {
    functions_.finish(activation_,
                      {sums, residual == nullptr ? nullptr : residual + at, call.output<float>(0) + at, outputs});
  };
  const auto num_phases = static_cast<int64_t>(phases.size());
  if (width.stride == 1) return store(scratch.rows[0] + position, line + first, count);
  if (num_phases == std::min(width.stride, width.output)) {
    for (const float*& row : std::span(scratch.rows, phases.size())) row += position;
    functions_.interleave({scratch.rows, num_phases, count, scratch.line});
    for (const float*& row : std::span(scratch.rows, phases.size())) row -= position;
    const int64_t at = first * width.stride;
    return store(scratch.line, line + at, std::min(width.output - at, count * num_phases));
  }
  for (size_t p = 0; p < phases.size(); ++p)
    for (int64_t i = 0; i < std::min(count, phases[p].outputs - first); ++i)
      store(scratch.rows[p] + position + i, line + phases[p].phase + (first + i) * width.stride, 1);
}

}  // namespace

bool accepts_conv_transpose_gemm(const OperatorSpec& spec) {
  if (!is_plain(spec)) return false;
  const Result<ConvGeometry> g = conv_transpose_geometry(spec);
  if (!g) return false;
  int64_t floats = g->group_inputs();
  for (const ConvAxis& axis : g->axes) {
    const int64_t reach = ((axis.kernel - 1) * axis.dilation + axis.stride - 1) / axis.stride;
    floats = saturating_product(floats, std::max(reach + 1, axis.kernel));
  }
  return floats <= kMaxWindowFloats;
}

Result<std::unique_ptr<Kernel>> prepare_conv_transpose_gemm(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_transpose_geometry(spec));
  auto kernel = std::make_unique<Gemm>(geometry, spec.as<ops::ConvTranspose>()->activation);
  if (spec.inputs[1].constant != nullptr)
    NESTRT_RETURN_IF_ERROR(kernel->sort_constant(reinterpret_cast<const float*>(spec.inputs[1].constant)));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace nestrt::kernels
