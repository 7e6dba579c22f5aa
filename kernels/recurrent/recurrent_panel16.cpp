// SPDX-License-Identifier: Apache-2.0
// Recurrent in register tiles. Each step multiplies the states of the batch with panels of 16 columns of the weights,
// which are divided among the threads. If columns begin inside a panel, the whole panel is multiplied.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/gemm_f32/panel_product.h"
#include "kernels/common/math/integers.h"
#include "kernels/recurrent/recurrent.h"

namespace nestrt::kernels {
namespace {

class Panels final : public Kernel {
 public:
  Panels(const Recurrence& recurrence, PackedConstant weights)
      : recurrence_(recurrence),
        weights_(std::move(weights)),
        functions_(recurrent_simd()),
        tile_(tile16_function()),
        limits_(tile16_limits()) {}

  ScratchSize scratch(int) const override { return recurrence_.scratch(); }
  bool repacked() const override { return weights_.repacked(); }

  void run(const KernelCall& call) const override {
    if (recurrence_.batch() == 0 || recurrence_.hidden() == 0) return;
    recurrence_.run(call, functions_, [&](const float* state, Range columns, float* gates) {
      PanelProduct product;
      product.a = state;
      product.panels = weights_.data();
      product.y = gates;
      product.inner = recurrence_.hidden();
      product.columns = columns.last;
      product.stride = recurrence_.columns();
      const Range panels{columns.first / kTileBlock, ceil_div(columns.last, kTileBlock)};
      const int64_t blocks = limits_.blocks_for(recurrence_.batch());
      // Uses at most one part per thread, so that the same core multiplies the same weights in each step and finds them
      // in its cache.
      const int threads = call.parallel->num_threads();
      const int64_t parts = std::min({ceil_div(panels.size(), blocks), int64_t{threads},
                                      panel_tasks(recurrence_.batch(), product.inner, columns.size(), threads)});
      call.parallel->parallel_for(parts, [&](int64_t index, int) {
        const Range part = part_of(panels.size(), index, parts, blocks);
        run_panels(product, tile_, limits_, {0, recurrence_.batch()},
                   {panels.first + part.first, panels.first + part.last});
      });
    });
  }

 private:
  Recurrence recurrence_;
  PackedConstant weights_;
  RecurrentFunctions functions_;
  Tile16Function tile_;
  TileLimits limits_;
};

}  // namespace

bool accepts_recurrent_panel16(const OperatorSpec& spec) {
  if (spec.inputs[1].type != DataType::kF32) return false;
  for (const TensorSpec& input : spec.inputs)
    if (input.present && input.layout != Layout::kPlain) return false;
  return spec.inputs[1].constant != nullptr && spec.outputs[0].layout == Layout::kPlain;
}

Result<std::unique_ptr<Kernel>> prepare_recurrent_panel16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(PackedConstant weights, PackedConstant::make(spec.inputs[1], Packing::kPanel16));
  return std::unique_ptr<Kernel>(std::make_unique<Panels>(Recurrence(spec), std::move(weights)));
}

}  // namespace nestrt::kernels
