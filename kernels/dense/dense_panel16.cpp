// SPDX-License-Identifier: Apache-2.0
// Dense on panels of 16 outputs. With a single row, every weight is read once and memory bandwidth is the limit, so the
// panels are distributed over the threads. With several rows, all rows use a panel while it is in the cache.
#include "kernels/common/gemm_f32/panel_product.h"
#include "kernels/common/math/integers.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/common/packing/packing.h"
#include "kernels/dense/dense.h"

namespace nestrt::kernels {
namespace {

class Panel16 final : public Kernel {
 public:
  Panel16(const DenseGeometry& geometry, const Activation& activation, PackedConstant weights, AlignedFloats bias)
      : geometry_(geometry),
        activation_(activation),
        weights_(std::move(weights)),
        bias_(std::move(bias)),
        tile_(tile16_function()),
        limits_(tile16_limits()) {}

  bool repacked() const override { return weights_.repacked(); }

  void run(const KernelCall& call) const override {
    const DenseGeometry& g = geometry_;
    if (g.rows == 0 || g.outputs == 0) return;
    PanelProduct product;
    product.a = call.input<float>(0);
    product.panels = weights_.data();
    product.bias = bias_.data();
    product.y = call.output<float>(0);
    product.inner = g.inputs;
    product.columns = product.stride = g.outputs;
    product.activation = activation_;
    const int64_t panels = ceil_div(g.outputs, kTileBlock);
    const int64_t wanted = panel_tasks(g.rows, g.inputs, g.outputs, call.parallel->num_threads());
    const int64_t blocks = limits_.blocks_for(g.rows);
    const int64_t panel_parts = std::min(wanted, ceil_div(panels, blocks));
    const int64_t row_parts = std::min(ceil_div(wanted, panel_parts), ceil_div(g.rows, limits_.points));
    call.parallel->parallel_for(panel_parts * row_parts, [&](int64_t index, int) {
      run_panels(product, tile_, limits_, part_of(g.rows, index % row_parts, row_parts, limits_.points),
                 part_of(panels, index / row_parts, panel_parts, blocks));
    });
  }

 private:
  DenseGeometry geometry_;
  Activation activation_;
  PackedConstant weights_;
  AlignedFloats bias_;
  Tile16Function tile_;
  TileLimits limits_;
};

}  // namespace

bool accepts_dense_panel16(const OperatorSpec& spec) {
  if (!dense_geometry(spec) || spec.inputs[0].type != DataType::kF32) return false;
  const TensorSpec& weights = spec.inputs[1];
  const bool constant = weights.constant != nullptr && (!spec.has_input(2) || spec.inputs[2].constant != nullptr);
  return constant && packing_fits(weights.packing, weights.shape) && spec.outputs[0].layout == Layout::kPlain;
}

Result<std::unique_ptr<Kernel>> prepare_dense_panel16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const DenseGeometry geometry, dense_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(PackedConstant weights, PackedConstant::make(spec.inputs[1], Packing::kPanel16));
  NESTRT_ASSIGN_OR_RETURN(AlignedFloats bias, padded_bias(spec, 2));
  const Activation activation = spec.as<ops::Dense>()->activation;
  return std::unique_ptr<Kernel>(std::make_unique<Panel16>(geometry, activation, std::move(weights), std::move(bias)));
}

}  // namespace nestrt::kernels
