// SPDX-License-Identifier: Apache-2.0
// s8 Dense on panels of 16 outputs. If the length of the input rows is not a multiple of what the tile reads at a time,
// rows are copied to scratch and padded with zeros. The corresponding weights are also zeros.
#include <algorithm>

#include "kernels/common/framework/split.h"
#include "kernels/common/gemm_s8/s8_product.h"
#include "kernels/common/math/integers.h"
#include "kernels/dense/dense.h"

namespace nestrt::kernels {
namespace {

class S8Panel final : public Kernel {
 public:
  S8Panel(const DenseGeometry& geometry, S8Product product) : geometry_(geometry), product_(std::move(product)) {
    row_bytes_ = round_up(geometry.inputs, kTileBlock);
  }

  bool repacked() const override { return product_.repacked(); }
  ScratchSize scratch(int) const override {
    return {copies_rows() ? static_cast<size_t>(geometry_.rows * row_bytes_) : 0, 0};
  }
  void run(const KernelCall& call) const override;

 private:
  bool copies_rows() const { return row_bytes_ != geometry_.inputs; }
  const int8_t* rows_of(const KernelCall& call) const;
  void run_panels(const KernelCall& call, const int8_t* x, Range rows, Range panels) const;

  DenseGeometry geometry_;
  S8Product product_;
  int64_t row_bytes_ = 0;
};

const int8_t* S8Panel::rows_of(const KernelCall& call) const {
  const int8_t* x = call.input<int8_t>(0);
  if (!copies_rows()) return x;
  auto* copy = reinterpret_cast<int8_t*>(call.shared_scratch);
  for (int64_t row = 0; row < geometry_.rows; ++row) {
    int8_t* end = std::copy_n(x + row * geometry_.inputs, geometry_.inputs, copy + row * row_bytes_);
    std::fill(end, copy + (row + 1) * row_bytes_, int8_t{0});
  }
  return copy;
}

void S8Panel::run(const KernelCall& call) const {
  const DenseGeometry& g = geometry_;
  if (g.rows == 0 || g.outputs == 0) return;
  const int8_t* x = rows_of(call);
  const TileLimits limits = product_.limits();
  const int64_t panels = ceil_div(g.outputs, kTileBlock);
  const int64_t wanted = task_count(g.rows * g.outputs, f32_products(g.inputs, 1), call.parallel->num_threads());
  const int64_t panel_parts = std::min(wanted, ceil_div(panels, limits.blocks));
  const int64_t row_parts = std::min(ceil_div(wanted, panel_parts), ceil_div(g.rows, limits.points));
  call.parallel->parallel_for(panel_parts * row_parts, [&](int64_t index, int) {
    run_panels(call, x, part_of(g.rows, index % row_parts, row_parts, limits.points),
               part_of(panels, index / row_parts, panel_parts, limits.blocks));
  });
}

void S8Panel::run_panels(const KernelCall& call, const int8_t* x, Range rows, Range panels) const {
  const TileLimits limits = product_.limits();
  int64_t offsets[kMaxTilePoints];
  for (int64_t p = 0; p < limits.points; ++p) offsets[p] = p * row_bytes_;
  S8Tile tile;
  tile.offsets = offsets;
  tile.segments = tile.chunks = 1;
  tile.length = row_bytes_;
  S8Finish finish;
  finish.point_stride = geometry_.outputs;
  finish.block_stride = kTileBlock;
  const int64_t tiles = ceil_div(rows.size(), limits.points);
  for (int64_t panel = panels.first; panel < panels.last; panel += limits.blocks) {
    tile.blocks = std::min(limits.blocks, panels.last - panel);
    finish.last_lanes = std::min(kTileBlock, geometry_.outputs - (panel + tile.blocks - 1) * kTileBlock);
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(rows.size(), t, tiles);
      const int64_t row = rows.first + part.first, at = row * geometry_.outputs + panel * kTileBlock;
      tile.points = part.size();
      tile.input = x + row * row_bytes_;
      product_.outputs().place(call, at, finish);
      product_.run(panel, tile, finish);
    }
  }
}

}  // namespace

bool accepts_dense_s8_panel(const OperatorSpec& spec) {
  const Packing weights = spec.inputs[1].packing;
  return spec.inputs[0].type == DataType::kS8 && dense_geometry(spec).has_value() &&
         (weights == Packing::kNone || weights == Packing::kS8Panel) && spec.outputs[0].layout == Layout::kPlain;
}

Result<std::unique_ptr<Kernel>> prepare_dense_s8_panel(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const DenseGeometry g, dense_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(const s8::Epilogue epilogue, s8::dense_epilogue(spec));
  NESTRT_ASSIGN_OR_RETURN(PackedBytes weights, PackedBytes::make(spec.inputs[1], Packing::kS8Panel));
  const int64_t block_bytes = round_up(g.inputs, kTileBlock) * kTileBlock;
  NESTRT_ASSIGN_OR_RETURN(S8Product product,
                          S8Product::make(std::move(weights), g.outputs, block_bytes, s8_bias(spec), epilogue));
  return std::unique_ptr<Kernel>(std::make_unique<S8Panel>(g, std::move(product)));
}

}  // namespace nestrt::kernels
