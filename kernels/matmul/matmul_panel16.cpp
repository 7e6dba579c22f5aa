// SPDX-License-Identifier: Apache-2.0
// MatMul on panels of 16 columns of B. A tile of rows reads B in place if it contains all rows, because each element of
// B is then used once. Otherwise a task packs a group of panels into its thread's scratch and multiplies rows of A with
// them.
#include "kernels/common/framework/function_kernel.h"
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
        packs_(geometry.rows > limits_.unpacked_points),
        group_(packs_ || geometry.rows == 0 ? limits_.blocks : limits_.blocks_for(geometry.rows)) {}

  size_t slot_bytes() const {
    return static_cast<size_t>((packs_ ? group_ : 1) * kTileBlock * g_.inner) * sizeof(float);
  }

  void operator()(const KernelCall& call) const {
    if (g_.output.num_elements() == 0) return;
    const int64_t groups = ceil_div(ceil_div(g_.columns, kTileBlock), group_), items = g_.batches() * groups;
    const int64_t wanted = panel_tasks(g_.rows, g_.inner, g_.batches() * g_.columns, call.parallel->num_threads());
    // To amortize packing, a part has at least a few tiles of rows.
    const int64_t row_parts =
        std::clamp<int64_t>(wanted / items, 1, std::max<int64_t>(1, g_.rows / (4 * limits_.points)));
    const int64_t parts = std::min(wanted, items);
    call.parallel->parallel_for(parts * row_parts, [&](int64_t index, int slot) {
      const Range part = part_of(items, index / row_parts, parts);
      for (int64_t item = part.first; item < part.last; ++item)
        run_part(call, item / groups, item % groups, part_of(g_.rows, index % row_parts, row_parts, limits_.points),
                 call.slot_scratch<float>(slot, slot_bytes()));
    });
  }

 private:
  // Multiplies rows of A of one batch with a group of panels.
  void run_part(const KernelCall& call, int64_t batch, int64_t group, Range rows, float* scratch) const {
    const int64_t first = group * group_ * kTileBlock;
    const int64_t columns = std::min(group_ * kTileBlock, g_.columns - first);
    const float* const b = call.input<float>(1) + g_.b_index(batch) * g_.inner * g_.columns + first;
    const int64_t unpacked = packs_ ? 0 : columns / kTileBlock * kTileBlock;
    PanelProduct product;
    product.a = call.input<float>(0) + g_.a_index(batch) * g_.rows * g_.inner;
    product.y = call.output<float>(0) + batch * g_.rows * g_.columns + first;
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
  int64_t group_;  // panels that are multiplied together
};

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_matmul_panel16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const MatMulGeometry geometry, matmul_geometry(spec));
  const Panels panels(geometry);
  return make_kernel(panels, ScratchSize{0, panels.slot_bytes()});
}

}  // namespace nestrt::kernels
