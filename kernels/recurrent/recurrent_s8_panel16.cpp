// SPDX-License-Identifier: Apache-2.0
// Recurrent with s8 weights. Each step quantizes the states of the batch, with parameters computed from their values.
// It multiplies them with panels of 16 columns, which are divided among the threads.
#include <algorithm>

#include "kernels/common/gemm_s8/integer_panels.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/common/quantization/quantize_rows.h"
#include "kernels/recurrent/recurrent.h"

namespace nestrt::kernels {
namespace {

class IntegerRecurrence final : public Kernel {
 public:
  IntegerRecurrence(const OperatorSpec& spec, PackedBytes weights)
      : recurrence_(spec),
        weights_(std::move(weights)),
        functions_(recurrent_simd()),
        quantize_(quantize_rows()),
        panels_(recurrence_.hidden(), recurrence_.columns(), packed()),
        column_sums_(panels_.panels() * kTileBlock),
        has_zero_(spec.has_input(kRecurrentZero)),
        has_zeros_(has_zero_ && spec.inputs[kRecurrentZero].shape.num_elements() > 1),
        has_scales_(spec.inputs[kRecurrentScale].shape.num_elements() > 1) {
    if (has_memory()) panels_.sum_columns(weights_.data(), column_sums_.data());
  }

  bool has_memory() const { return column_sums_.data() != nullptr; }
  bool repacked() const override { return weights_.repacked(); }
  ScratchSize scratch(int) const override { return {layout().total, 0}; }

  void run(const KernelCall& call) const override {
    if (recurrence_.batch() == 0 || recurrence_.hidden() == 0) return;
    const IntegerColumns columns = read_columns(call);
    recurrence_.run(call, functions_, [&](const float* state, Range range, float* gates) {
      multiply(call, columns, state, range, gates);
    });
  }

 private:
  // Byte offsets into the shared scratch memory. The memory of Recurrence is first.
  struct ScratchLayout {
    size_t rows = 0, row_sums = 0, columns = 0, total = 0;
  };
  std::span<const int8_t> packed() const {
    const int64_t panels = ceil_div(recurrence_.columns(), kTileBlock);
    return {weights_.data(), static_cast<size_t>(panels * integer_panel_bytes(recurrence_.hidden()))};
  }
  ScratchLayout layout() const;
  IntegerColumns read_columns(const KernelCall& call) const;
  s8c::Affine quantize(const KernelCall& call, bool has_zeros, const float* state) const;
  void multiply(const KernelCall& call, IntegerColumns columns, const float* state, Range range, float* gates) const;

  Recurrence recurrence_;
  PackedBytes weights_;
  RecurrentFunctions functions_;
  QuantizeRows quantize_;
  IntegerPanels panels_;
  AlignedArray<int32_t> column_sums_;
  bool has_zero_, has_zeros_, has_scales_;
};

IntegerRecurrence::ScratchLayout IntegerRecurrence::layout() const {
  const auto batch = static_cast<size_t>(recurrence_.batch());
  const auto aligned = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  ScratchLayout at;
  at.rows = aligned(recurrence_.scratch().shared);
  at.row_sums = aligned(at.rows + batch * static_cast<size_t>(integer_row_bytes(recurrence_.hidden())));
  at.columns = aligned(at.row_sums + batch * sizeof(int32_t));
  at.total = at.columns + IntegerColumns::bytes(recurrence_.columns());
  return at;
}

// Reads the zero points of the weights. The other parameters depend on the state and are set in each step.
IntegerColumns IntegerRecurrence::read_columns(const KernelCall& call) const {
  IntegerColumns columns = IntegerColumns::at(call.shared_scratch + layout().columns, recurrence_.columns(), true);
  const int64_t padded = panels_.panels() * kTileBlock;
  for (int64_t n = 0; n < padded; ++n) {
    const bool is_column = has_zero_ && n < recurrence_.columns();
    columns.zero[n] = is_column ? call.input<int8_t>(kRecurrentZero)[has_zeros_ ? n : 0] : 0;
    columns.has_zeros = columns.has_zeros || columns.zero[n] != 0;
  }
  std::fill_n(columns.scale, padded, 0.0f);
  std::fill_n(columns.bias, padded, 0.0f);
  return columns;
}

// Quantizes the states to s8. Returns the quantization parameters.
s8c::Affine IntegerRecurrence::quantize(const KernelCall& call, bool has_zeros, const float* state) const {
  const ScratchLayout at = layout();
  const int64_t hidden = recurrence_.hidden(), row_bytes = integer_row_bytes(hidden);
  const s8c::Affine to = in_s8(dynamic_parameters(quantize_.extremes(state, recurrence_.batch() * hidden)));
  auto* const rows = reinterpret_cast<int8_t*>(call.shared_scratch + at.rows);
  auto* const sums = reinterpret_cast<int32_t*>(call.shared_scratch + at.row_sums);
  for (int64_t row = 0; row < recurrence_.batch(); ++row) {
    int8_t* const bytes = rows + row * row_bytes;
    quantize_.quantize(to, state + row * hidden, bytes, hidden);
    std::fill(bytes + hidden, bytes + row_bytes, int8_t{0});
    if (has_zeros) sums[row] = panels_.functions().copy_row(bytes, 0, bytes, hidden);
  }
  return to;
}

void IntegerRecurrence::multiply(const KernelCall& call, IntegerColumns columns, const float* state, Range range,
                                 float* gates) const {
  const ScratchLayout at = layout();
  const s8c::Affine to = quantize(call, columns.has_zeros, state);
  columns.set_scales(to.scale, call.input<float>(kRecurrentScale), has_scales_, recurrence_.columns());
  panels_.set_start(to.zero_point, column_sums_.data(), columns);
  const Range panels{range.first / kTileBlock, ceil_div(range.last, kTileBlock)};
  const int64_t wanted = task_count(recurrence_.batch() * range.size(), f32_products(recurrence_.hidden(), 1),
                                    call.parallel->num_threads());
  const int64_t blocks = panels_.limits().blocks, parts = std::min(wanted, ceil_div(panels.size(), blocks));
  call.parallel->parallel_for(parts, [&](int64_t index, int) {
    const Range part = part_of(panels.size(), index, parts, blocks);
    IntegerRows rows;
    rows.rows = reinterpret_cast<const int8_t*>(call.shared_scratch + at.rows);
    rows.row_sums = reinterpret_cast<const int32_t*>(call.shared_scratch + at.row_sums);
    rows.count = recurrence_.batch();
    rows.output = gates + (panels.first + part.first) * kTileBlock;
    rows.output_stride = recurrence_.columns();
    panels_.run(rows, weights_.data(), columns, {panels.first + part.first, panels.first + part.last});
  });
}

}  // namespace

bool accepts_recurrent_s8_panel16(const OperatorSpec& spec) {
  if (spec.inputs[1].type != DataType::kS8 || spec.inputs[1].constant == nullptr) return false;
  return std::all_of(spec.inputs.begin(), spec.inputs.end(),
                     [](const TensorSpec& input) { return !input.present || input.layout == Layout::kPlain; }) &&
         spec.outputs[0].layout == Layout::kPlain;
}

Result<std::unique_ptr<Kernel>> prepare_recurrent_s8_panel16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(PackedBytes weights, PackedBytes::make(spec.inputs[1], Packing::kS8Panel));
  auto kernel = std::make_unique<IntegerRecurrence>(spec, std::move(weights));
  if (!kernel->has_memory()) return Status(Code::kOutOfMemory, "no memory for the sums of a Recurrent's weights");
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace nestrt::kernels
