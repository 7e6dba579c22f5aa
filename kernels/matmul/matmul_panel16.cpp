// SPDX-License-Identifier: Apache-2.0
// MatMul on panels of 16 columns of B. If one tile covers all rows, each element of B is used only once, so B is read
// in place. Otherwise a task packs a group of panels into its thread's scratch and multiplies rows of A with them.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/gemm_f32/few_rows.h"
#include "kernels/common/gemm_f32/panel_product.h"
#include "kernels/common/math/integers.h"
#include "kernels/matmul/matmul.h"

namespace nestrt::kernels {
namespace {

class Panels {
 public:
  explicit Panels(const MatMulGeometry& geometry)
      : g_(geometry),
        tile_(tile16_function()),
        limits_(tile16_limits()),
        packs_(geometry.rows > std::max(kFewPoints, limits_.unpacked_points)) {}

  size_t slot_bytes() const {
    const int64_t panels = packs_ ? limits_.blocks : g_.rows > kFewPoints ? 1 : 0;
    return static_cast<size_t>(panels * kTileBlock * g_.inner) * sizeof(float);
  }

  void operator()(const KernelCall& call) const {
    if (g_.output.num_elements() == 0) return;
    const int64_t wanted = panel_tasks(g_.rows, g_.inner, g_.batches() * g_.columns, call.parallel->num_threads());
    const int64_t panels = ceil_div(g_.columns, kTileBlock), group = group_panels(panels, wanted);
    const int64_t groups = ceil_div(panels, group), items = g_.batches() * groups;
    // A part has at least a few tiles of rows, to amortize packing.
    const int64_t row_parts =
        std::clamp<int64_t>(wanted / items, 1, std::max<int64_t>(1, g_.rows / (4 * limits_.points)));
    const int64_t parts = std::min(wanted, items);
    call.parallel->parallel_for(parts * row_parts, [&](int64_t index, int slot) {
      const Range part = part_of(items, index / row_parts, parts);
      const Range rows = part_of(g_.rows, index % row_parts, row_parts, limits_.points);
      float* const scratch = call.slot_scratch<float>(slot, slot_bytes());
      for (int64_t item = part.first; item < part.last; ++item) {
        const int64_t first = item % groups * group * kTileBlock;
        run_part(call, item / groups, {first, std::min(g_.columns, first + group * kTileBlock)}, rows, scratch);
      }
    });
  }

 private:
  // Returns the number of panels per task: those that are packed together, or an even share of the panels read in
  // place.
  int64_t group_panels(int64_t panels, int64_t wanted) const {
    if (packs_) return limits_.blocks;
    return round_up(ceil_div(panels, ceil_div(wanted, g_.batches())), limits_.blocks_for(g_.rows));
  }

  // Multiplies the given rows of A with the columns `range` of B, which start at a panel boundary, for one batch.
  void run_part(const KernelCall& call, int64_t batch, Range range, Range rows, float* scratch) const {
    const int64_t columns = range.size();
    const float* const b = call.input<float>(1) + g_.b_index(batch) * g_.inner * g_.columns + range.first;
    const float* const a = call.input<float>(0) + g_.a_index(batch) * g_.rows * g_.inner;
    float* const y = call.output<float>(0) + batch * g_.rows * g_.columns + range.first;
    if (g_.rows <= kFewPoints) return multiply_few_rows({a, b, y, g_.rows, g_.inner, columns, g_.columns});
    const int64_t unpacked = packs_ ? 0 : columns / kTileBlock * kTileBlock;
    PanelProduct product;
    product.a = a;
    product.y = y;
    product.inner = g_.inner;
    product.stride = g_.columns;
    if (unpacked > 0) {
      product.panels = b;
      product.columns = unpacked;
      product.unpacked_stride = g_.columns;
      run_panels(product, tile_, limits_, rows, {0, unpacked / kTileBlock});
    }
    if (unpacked == columns) return;
    pack_panels(b + unpacked, g_.columns, g_.inner, columns - unpacked, scratch);
    product.panels = scratch;
    product.y += unpacked;
    product.columns = columns - unpacked;
    product.unpacked_stride = 0;
    run_panels(product, tile_, limits_, rows, {0, ceil_div(product.columns, kTileBlock)});
  }

  MatMulGeometry g_;
  Tile16Function tile_;
  TileLimits limits_;
  bool packs_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_matmul_panel16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const MatMulGeometry geometry, matmul_geometry(spec));
  const Panels panels(geometry);
  return make_kernel(panels, ScratchSize{0, panels.slot_bytes()});
}

}  // namespace nestrt::kernels
