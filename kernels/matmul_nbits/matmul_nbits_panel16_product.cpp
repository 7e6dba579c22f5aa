// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/gemm_f32/panel_product.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/matmul_nbits/matmul_nbits.h"

namespace nestrt::kernels {
namespace {

class NBitsPanel16 final : public Kernel {
 public:
  NBitsPanel16(const NBitsProduct& product, AlignedFloats bias)
      : product_(product),
        bias_(std::move(bias)),
        functions_(nbits_functions()),
        tile_(tile16_function()),
        limits_(tile16_limits()) {
    product_.bias = bias_.data();
  }

  ScratchSize scratch(int) const override {
    if (has_few_rows()) return {static_cast<size_t>(product_.rows * product_.blocks()) * sizeof(float), 0};
    return {0, static_cast<size_t>(limits_.blocks * panel_floats()) * sizeof(float)};
  }
  void run(const KernelCall& call) const override {
    if (product_.rows == 0) return;
    if (has_few_rows()) return run_few_rows(call);
    run_rows(call);
  }

 private:
  bool has_few_rows() const { return product_.rows <= kNBitsFewRows; }
  int64_t panels() const { return ceil_div(product_.columns, kTileBlock); }
  int64_t panel_floats() const { return product_.inner * kTileBlock; }
  void run_few_rows(const KernelCall& call) const;
  void run_rows(const KernelCall& call) const;

  NBitsProduct product_;
  AlignedFloats bias_;
  NBitsFunctions functions_;
  Tile16Function tile_;
  TileLimits limits_;
};

void NBitsPanel16::run_few_rows(const KernelCall& call) const {
  NBitsProduct product = product_;
  auto* sums = reinterpret_cast<float*>(call.shared_scratch);
  product.x = call.input<float>(0);
  product.y = call.output<float>(0);
  product.block_sums = sums;
  for (int64_t row = 0; row < product.rows; ++row)
    for (int64_t first = 0; first < product.inner; first += product.block) {
      const float* const x = product.x + row * product.inner;
      float sum = 0;
      for (int64_t k = first; k < std::min(product.inner, first + product.block); ++k) sum += x[k];
      *sums++ = sum;
    }
  const int64_t parts =
      std::min(panels(), panel_tasks(product.rows, product.inner, product.columns, call.parallel->num_threads()));
  call.parallel->parallel_for(
      parts, [&](int64_t index, int) { functions_.multiply(product, part_of(panels(), index, parts, 4)); });
}

void NBitsPanel16::run_rows(const KernelCall& call) const {
  PanelProduct rows;
  rows.a = call.input<float>(0);
  rows.inner = product_.inner;
  rows.stride = product_.columns;
  const int64_t groups = ceil_div(panels(), limits_.blocks);
  const int64_t wanted = panel_tasks(product_.rows, product_.inner, product_.columns, call.parallel->num_threads());
  const int64_t parts = std::min(wanted, groups);
  // A part has at least a few tiles of rows, to amortize the conversion of its panels.
  const int64_t row_parts =
      std::clamp<int64_t>(wanted / parts, 1, std::max<int64_t>(1, product_.rows / (4 * limits_.points)));
  call.parallel->parallel_for(parts * row_parts, [&](int64_t index, int slot) {
    auto* const scratch = call.slot_scratch<float>(slot, this->scratch(1).per_thread);
    const Range part = part_of(groups, index / row_parts, parts);
    const Range own_rows = part_of(product_.rows, index % row_parts, row_parts, limits_.points);
    PanelProduct own = rows;
    own.panels = scratch;
    for (int64_t group = part.first; group < part.last; ++group) {
      const int64_t first = group * limits_.blocks, count = std::min(limits_.blocks, panels() - first);
      for (int64_t i = 0; i < count; ++i) functions_.unpack(product_, first + i, scratch + i * panel_floats());
      own.columns = std::min(count * kTileBlock, product_.columns - first * kTileBlock);
      own.bias = product_.bias == nullptr ? nullptr : product_.bias + first * kTileBlock;
      own.y = call.output<float>(0) + first * kTileBlock;
      run_panels(own, tile_, limits_, own_rows, {0, count});
    }
  });
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_matmul_nbits_panel16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const NBitsProduct product, nbits_product(spec));
  NESTRT_ASSIGN_OR_RETURN(AlignedFloats bias, padded_bias(spec, 4));
  return std::unique_ptr<Kernel>(std::make_unique<NBitsPanel16>(product, std::move(bias)));
}

}  // namespace nestrt::kernels
