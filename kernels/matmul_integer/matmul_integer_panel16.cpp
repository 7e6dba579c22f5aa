// SPDX-License-Identifier: Apache-2.0
// MatMulInteger on panels of 16 columns. Rows of a are copied as s8 and padded to whole steps of the tile, and their
// sums are computed. b is a packed constant, or is packed into scratch in every run.
#include <algorithm>

#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/gemm_s8/integer_panels.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/matmul_integer/matmul_integer.h"

namespace nestrt::kernels {
namespace {

constexpr uint8_t kFlipSign = 0x80;

class IntegerPanel16 final : public Kernel {
 public:
  // `weights`: all matrices of b as panels, or empty if b is not constant.
  IntegerPanel16(const OperatorSpec& spec, const MatMulGeometry& geometry, PackedBytes weights, bool is_constant)
      : g_(geometry),
        operands_(spec),
        weights_(std::move(weights)),
        is_constant_(is_constant),
        a_rows_(g_.a_batch.num_elements() * g_.rows),
        b_matrices_(g_.b_batch.num_elements()),
        panels_(g_.inner, g_.columns, constant_weights()),
        sums_(is_constant ? padded_columns() * b_matrices_ : 0) {
    for (int64_t i = 0; is_constant && i < b_matrices_; ++i)
      panels_.sum_columns(weights_.data() + i * matrix_bytes(), sums_.data() + i * padded_columns());
  }

  bool has_memory() const { return sums_.data() != nullptr; }
  bool repacked() const override { return is_constant_ && weights_.repacked(); }
  ScratchSize scratch(int) const override { return {static_cast<size_t>(layout().total), 0}; }
  void run(const KernelCall& call) const override;

 private:
  // Byte offsets into the shared scratch memory.
  struct ScratchLayout {
    int64_t rows = 0, row_sums = 0, columns = 0, starts = 0, column_sums = 0, weights = 0, total = 0;
  };
  ScratchLayout layout() const;
  int64_t padded_columns() const { return round_up(g_.columns, kTileBlock); }
  int64_t matrix_bytes() const { return ceil_div(g_.columns, kTileBlock) * integer_panel_bytes(g_.inner); }
  std::span<const int8_t> constant_weights() const {
    if (!is_constant_) return {};
    return {weights_.data(), static_cast<size_t>(matrix_bytes() * b_matrices_)};
  }
  void copy_rows(const KernelCall& call) const;
  void pack_weights(const KernelCall& call) const;
  IntegerColumns read_columns(const KernelCall& call) const;
  void multiply(const KernelCall& call, const IntegerColumns& columns) const;
  template <typename T>
  T* scratch_at(const KernelCall& call, int64_t offset) const {
    return reinterpret_cast<T*>(call.shared_scratch + offset);
  }

  MatMulGeometry g_;
  IntegerOperands operands_;
  PackedBytes weights_;
  bool is_constant_;
  int64_t a_rows_, b_matrices_;
  IntegerPanels panels_;
  AlignedArray<int32_t> sums_;  // of the columns of constant weights
};

IntegerPanel16::ScratchLayout IntegerPanel16::layout() const {
  ScratchLayout at;
  if (g_.output.num_elements() == 0) return at;
  const auto place = [&](int64_t bytes) {
    const int64_t start = at.total;
    at.total = round_up(start + bytes, 64);
    return start;
  };
  at.rows = place(a_rows_ * integer_row_bytes(g_.inner));
  at.row_sums = place(a_rows_ * int64_t{sizeof(int32_t)});
  at.columns = place(static_cast<int64_t>(IntegerColumns::bytes(g_.columns)));
  at.starts = place(b_matrices_ * padded_columns() * int64_t{sizeof(int32_t)});
  if (is_constant_) return at;
  at.column_sums = place(b_matrices_ * padded_columns() * int64_t{sizeof(int32_t)});
  at.weights = place(b_matrices_ * matrix_bytes());
  return at;
}

void IntegerPanel16::copy_rows(const KernelCall& call) const {
  const ScratchLayout at = layout();
  const uint8_t flip = operands_.a_is_u8() ? kFlipSign : 0;
  auto* const rows = scratch_at<int8_t>(call, at.rows);
  auto* const sums = scratch_at<int32_t>(call, at.row_sums);
  const int64_t row_bytes = integer_row_bytes(g_.inner);
  parallel_ranges(*call.parallel, a_rows_, g_.inner, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      int8_t* const to = rows + row * row_bytes;
      sums[row] = panels_.functions().copy_row(call.input<int8_t>(0) + row * g_.inner, flip, to, g_.inner);
      std::fill(to + g_.inner, to + row_bytes, int8_t{0});
    }
  });
}

void IntegerPanel16::pack_weights(const KernelCall& call) const {
  const ScratchLayout at = layout();
  const uint8_t flip = operands_.b_is_u8() ? kFlipSign : 0;
  auto* const packed = scratch_at<int8_t>(call, at.weights);
  auto* const sums = scratch_at<int32_t>(call, at.column_sums);
  const int64_t panels = panels_.panels(), panel_bytes = integer_panel_bytes(g_.inner);
  parallel_ranges(*call.parallel, b_matrices_ * panels, panel_bytes, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t column = i % panels * kTileBlock;
      const int8_t* const from = call.input<int8_t>(1) + i / panels * g_.inner * g_.columns + column;
      panels_.functions().pack_panel(from, g_.columns, flip, g_.inner, std::min(kTileBlock, g_.columns - column),
                                     packed + i * panel_bytes, sums + i * kTileBlock);
    }
  });
}

// Returns the parameters of the columns. The start values of all matrices are stored one matrix after
// another.
IntegerColumns IntegerPanel16::read_columns(const KernelCall& call) const {
  const ScratchLayout at = layout();
  IntegerColumns columns =
      IntegerColumns::at(scratch_at<std::byte>(call, at.columns), g_.columns, operands_.is_scaled());
  columns.read(operands_, call, g_.columns);
  const int32_t input_zero = operands_.input_zero(call) - (operands_.a_is_u8() ? 128 : 0);
  const int32_t* const sums = is_constant_ ? sums_.data() : scratch_at<int32_t>(call, at.column_sums);
  auto* const starts = scratch_at<int32_t>(call, at.starts);
  for (int64_t i = 0; i < b_matrices_; ++i) {
    columns.start = starts + i * padded_columns();
    panels_.set_start(input_zero, sums + i * padded_columns(), columns);
  }
  columns.start = starts;
  return columns;
}

void IntegerPanel16::multiply(const KernelCall& call, const IntegerColumns& columns) const {
  const ScratchLayout at = layout();
  const TileLimits& limits = panels_.limits();
  const int8_t* const weights = is_constant_ ? weights_.data() : scratch_at<int8_t>(call, at.weights);
  const int64_t batches = g_.batches();
  const int64_t wanted =
      task_count(batches * g_.rows * g_.columns, f32_products(g_.inner, 1), call.parallel->num_threads());
  const int64_t each = ceil_div(wanted, batches);
  const int64_t panel_parts = std::min(each, ceil_div(panels_.panels(), limits.blocks));
  const int64_t row_parts = std::min(ceil_div(each, panel_parts), ceil_div(g_.rows, limits.points));
  call.parallel->parallel_for(batches * panel_parts * row_parts, [&](int64_t index, int) {
    const int64_t batch = index / (panel_parts * row_parts), matrix = g_.b_index(batch);
    const Range part = part_of(g_.rows, index % row_parts, row_parts, limits.points);
    const Range panels = part_of(panels_.panels(), index / row_parts % panel_parts, panel_parts, limits.blocks);
    if (part.size() == 0 || panels.size() == 0) return;
    const int64_t row = g_.a_index(batch) * g_.rows + part.first;
    IntegerRows rows;
    rows.rows = scratch_at<int8_t>(call, at.rows) + row * integer_row_bytes(g_.inner);
    rows.row_sums = scratch_at<int32_t>(call, at.row_sums) + row;
    rows.count = part.size();
    rows.output_stride = g_.columns;
    rows.output = call.output<int32_t>(0) + (batch * g_.rows + part.first) * g_.columns + panels.first * kTileBlock;
    IntegerColumns own = columns;
    own.start += matrix * padded_columns();
    panels_.run(rows, weights + matrix * matrix_bytes(), own, panels);
  });
}

void IntegerPanel16::run(const KernelCall& call) const {
  if (g_.output.num_elements() == 0) return;
  copy_rows(call);
  if (!is_constant_) pack_weights(call);
  multiply(call, read_columns(call));
}

// Packs all matrices of a constant that Packing::kS8Panel does not support: u8, or not of rank 2.
Result<PackedBytes> pack_constant(const OperatorSpec& spec, const MatMulGeometry& g) {
  const IntegerFunctions functions = integer_functions();
  const uint8_t flip = spec.inputs[1].type == DataType::kU8 ? kFlipSign : 0;
  const int64_t panel_bytes = integer_panel_bytes(g.inner), matrices = g.b_batch.num_elements();
  const auto* matrix = reinterpret_cast<const int8_t*>(spec.inputs[1].constant);
  AlignedArray<int8_t> packed(matrices * ceil_div(g.columns, kTileBlock) * panel_bytes);
  if (packed.data() == nullptr) return Status(Code::kOutOfMemory, "no memory to pack the weights of a MatMulInteger");
  int8_t* to = packed.data();
  int32_t sums[kTileBlock];
  for (int64_t i = 0; i < matrices; ++i, matrix += g.inner * g.columns)
    for (int64_t column = 0; column < g.columns; column += kTileBlock, to += panel_bytes)
      functions.pack_panel(matrix + column, g.columns, flip, g.inner, std::min(kTileBlock, g.columns - column), to,
                           sums);
  return PackedBytes(std::move(packed));
}

Result<PackedBytes> packed_weights(const OperatorSpec& spec, const MatMulGeometry& g) {
  const TensorSpec& b = spec.inputs[1];
  if (b.constant == nullptr) return PackedBytes();
  if (b.type == DataType::kS8 && b.shape.rank() == 2) return PackedBytes::make(b, Packing::kS8Panel);
  return pack_constant(spec, g);
}

}  // namespace

bool accepts_matmul_integer_panel16(const OperatorSpec& spec) {
  constexpr int64_t kMaxPadding = 32, kSmallBytes = 1 << 20;  // many tiny matrices would consist of padding
  if (spec.inputs.size() < 2 || !spec.has_input(1) || spec.outputs[0].layout != Layout::kPlain) return false;
  const TensorSpec& b = spec.inputs[1];
  const auto g = matmul_integer_geometry(spec);
  if (!g) return false;
  const int64_t panels = saturating_product(g->b_batch.num_elements(), ceil_div(g->columns, kTileBlock));
  const int64_t most = saturating_sum(saturating_product(kMaxPadding, b.shape.num_elements()), kSmallBytes);
  if (saturating_product(panels, integer_panel_bytes(g->inner)) > most) return false;
  return b.packing == Packing::kNone ||
         (b.packing == Packing::kS8Panel && b.type == DataType::kS8 && b.shape.rank() == 2 && b.constant != nullptr);
}

Result<std::unique_ptr<Kernel>> prepare_matmul_integer_panel16(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const MatMulGeometry g, matmul_integer_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(PackedBytes weights, packed_weights(spec, g));
  auto kernel = std::make_unique<IntegerPanel16>(spec, g, std::move(weights), spec.inputs[1].constant != nullptr);
  if (!kernel->has_memory()) return Status(Code::kOutOfMemory, "no memory for the sums of a MatMulInteger's weights");
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace nestrt::kernels
