// SPDX-License-Identifier: Apache-2.0
// MatMul on panels: a task packs up to two panels of 16 columns of B into its thread's scratch and multiplies rows of A
// with them.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/gemm_f32/panel_product.h"
#include "kernels/common/math/integers.h"
#include "kernels/matmul/matmul.h"

namespace nestrt::kernels {
namespace {

// Packs columns [panel * 16, ...) of B as [panels][inner][16]. Lanes past the last column are zero.
void pack_panels(const MatMulGeometry& g, const float* b, Range panels, float* packed) {
  for (int64_t panel = panels.first; panel < panels.last; ++panel) {
    const int64_t first = panel * kTileBlock, count = std::min(kTileBlock, g.columns - first);
    for (int64_t k = 0; k < g.inner; ++k, packed += kTileBlock) {
      std::copy_n(b + k * g.columns + first, count, packed);
      std::fill(packed + count, packed + kTileBlock, 0.0f);
    }
  }
}

class Panels {
 public:
  explicit Panels(const MatMulGeometry& geometry) : g_(geometry), tile_(tile16_function()), limits_(tile16_limits()) {}

  size_t slot_bytes() const {
    return static_cast<size_t>((limits_.blocks * kTileBlock * g_.inner + 15) / 16 * 16) * sizeof(float);
  }

  void operator()(const KernelCall& call) const {
    if (g_.output.num_elements() == 0) return;
    const int64_t panels = ceil_div(g_.columns, kTileBlock);
    const int64_t groups = ceil_div(panels, limits_.blocks);
    // To amortize packing, a part has at least a few tiles of rows.
    const int64_t wanted = task_count(g_.output.num_elements(), g_.inner, call.parallel->num_threads());
    const int64_t row_parts =
        std::clamp<int64_t>(wanted / (g_.batches() * groups), 1, std::max<int64_t>(1, g_.rows / (4 * limits_.points)));
    call.parallel->parallel_for(g_.batches() * groups * row_parts, [&](int64_t index, int slot) {
      float* packed = reinterpret_cast<float*>(call.thread_scratch + static_cast<size_t>(slot) * slot_bytes());
      const int64_t group = index / row_parts % groups, batch = index / row_parts / groups;
      run_part(call, batch, {group * limits_.blocks, std::min(panels, (group + 1) * limits_.blocks)},
               part_of(g_.rows, index % row_parts, row_parts, limits_.points), packed);
    });
  }

 private:
  void run_part(const KernelCall& call, int64_t batch, Range panels, Range rows, float* packed) const {
    pack_panels(g_, call.input<float>(1) + g_.b_index(batch) * g_.inner * g_.columns, panels, packed);
    PanelProduct product;
    product.a = call.input<float>(0) + g_.a_index(batch) * g_.rows * g_.inner;
    product.panels = packed;
    product.y = call.output<float>(0) + batch * g_.rows * g_.columns + panels.first * kTileBlock;
    product.inner = g_.inner;
    product.columns = g_.columns - panels.first * kTileBlock;
    product.stride = g_.columns;
    run_panels(product, tile_, limits_, rows, {0, panels.size()});
  }

  MatMulGeometry g_;
  Tile16Function tile_;
  TileLimits limits_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_matmul_panel16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const MatMulGeometry geometry, matmul_geometry(spec));
  const Panels panels(geometry);
  return make_kernel(panels, ScratchSize{0, panels.slot_bytes()});
}

}  // namespace nestrt::kernels
