// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul_nbits/matmul_nbits.h"

#include <fmt/core.h>

#include <array>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

constexpr size_t kX = 0, kWeights = 1, kScales = 2, kZeros = 3, kBias = 4;  // inputs
constexpr int64_t kColumns = 16;                                            // of a panel

Status check_attributes(const ops::MatMulNBits& op) {
  if (op.bits != 2 && op.bits != 4 && op.bits != 8)
    return rule_error(fmt::format("weights have {} bits, expected 2, 4 or 8", op.bits));
  if (op.block < 1 || op.block % (8 / op.bits) != 0)
    return rule_error(fmt::format("blocks of {} weights of {} bits are not whole bytes", op.block, op.bits));
  if (op.columns < 1) return rule_error(fmt::format("{} columns, expected at least 1", op.columns));
  return {};
}

Status check_constant(const OperatorSpec& spec, size_t input, const Shape& shape, std::string_view what) {
  if (!spec.has_input(input)) return {};
  const TensorSpec& tensor = spec.inputs[input];
  if (tensor.constant == nullptr) return rule_error(fmt::format("{} must be constant", what));
  if (tensor.layout != Layout::kPlain || tensor.packing != Packing::kNone)
    return rule_error(fmt::format("{} must be plain", what));
  if (tensor.shape == shape) return {};
  return rule_error(fmt::format("{} has shape {}, expected {}", what, tensor.shape.to_string(), shape.to_string()));
}

Status check_operands(const OperatorSpec& spec, const ops::MatMulNBits& op) {
  const TensorSpec& x = spec.inputs[kX];
  NESTRT_RETURN_IF_ERROR(expect_type(x, DataType::kF32, "the input"));
  if (x.shape.rank() != 2 || x.layout != Layout::kPlain)
    return rule_error(fmt::format("the input is {}, expected a plain matrix", x.shape.to_string()));
  const int64_t blocks = ceil_div(x.shape[1], int64_t{op.block}), panels = ceil_div(int64_t{op.columns}, kColumns);
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[kWeights], DataType::kU8, "weights"));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[kScales], DataType::kF32, "scales"));
  const Shape by_block{panels, blocks, kColumns};
  NESTRT_RETURN_IF_ERROR(
      check_constant(spec, kWeights, {panels, blocks, int64_t{op.block} * op.bits / 8, kColumns}, "weights"));
  NESTRT_RETURN_IF_ERROR(check_constant(spec, kScales, by_block, "scales"));
  NESTRT_RETURN_IF_ERROR(check_constant(spec, kZeros, by_block, "zero points"));
  if (spec.has_input(kZeros) && spec.inputs[kZeros].type != DataType::kU8)
    NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[kZeros], DataType::kF32, "zero points that are not u8"));
  if (spec.has_input(kBias)) NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[kBias], DataType::kF32, "bias"));
  return check_constant(spec, kBias, {op.columns}, "bias");
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const NBitsProduct product, nbits_product(spec));
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(std::array{product.rows, product.columns}, "the output"));
  return single_output(DataType::kF32, shape);
}

// Returns weight k of a column as stored.
float weight_at(const NBitsProduct& p, int64_t k, int64_t column) {
  const int64_t panel = column / kColumns, lane = column % kColumns, per_byte = 8 / p.bits;
  const int64_t panel_block = panel * p.blocks() + k / p.block, within = k % p.block;
  const uint8_t byte = p.weights[panel_block * p.block_bytes() + within / per_byte * kColumns + lane];
  const int q = byte >> (within % per_byte * p.bits) & ((1 << p.bits) - 1);
  return (static_cast<float>(q) - p.zero_point(panel_block, lane)) * p.scales[panel_block * kColumns + lane];
}

uint64_t macs(const OperatorSpec& spec) {
  return static_cast<uint64_t>(saturating_product(spec.outputs[0].shape.num_elements(), spec.inputs[kX].shape[1]));
}

int64_t steps(const OperatorSpec& spec) {
  return element_steps(spec, 1, saturating_product(kCopySteps, spec.inputs[kX].shape[1]));
}

constexpr KernelVariant kKernels[] = {
    {"matmul_nbits.panel16", 10, is_plain, prepare_matmul_nbits_panel16},
    {"matmul_nbits.reference", 0, is_plain, prepare_matmul_nbits_reference},
};

}  // namespace

float NBitsProduct::zero_point(int64_t panel_block, int64_t column) const {
  const int64_t at = panel_block * kColumns + column;
  if (zeros == NBitsZeros::kU8) return static_cast<float>(reinterpret_cast<const uint8_t*>(zero_points)[at]);
  if (zeros == NBitsZeros::kF32) return reinterpret_cast<const float*>(zero_points)[at];
  return static_cast<float>(1 << (bits - 1));
}

Result<NBitsProduct> nbits_product(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 3, 5));
  const ops::MatMulNBits& op = *spec.as<ops::MatMulNBits>();
  NESTRT_RETURN_IF_ERROR(check_attributes(op));
  NESTRT_RETURN_IF_ERROR(check_operands(spec, op));
  NBitsProduct product;
  product.bits = op.bits;
  product.block = op.block;
  product.rows = spec.inputs[kX].shape[0];
  product.inner = spec.inputs[kX].shape[1];
  product.columns = op.columns;
  product.weights = reinterpret_cast<const uint8_t*>(spec.inputs[kWeights].constant);
  product.scales = reinterpret_cast<const float*>(spec.inputs[kScales].constant);
  if (spec.has_input(kZeros)) {
    product.zeros = spec.inputs[kZeros].type == DataType::kU8 ? NBitsZeros::kU8 : NBitsZeros::kF32;
    product.zero_points = spec.inputs[kZeros].constant;
  }
  if (spec.has_input(kBias)) product.bias = reinterpret_cast<const float*>(spec.inputs[kBias].constant);
  return product;
}

Result<std::unique_ptr<Kernel>> prepare_matmul_nbits_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const NBitsProduct product, nbits_product(spec));
  return make_kernel([product](const KernelCall& call) {
    parallel_ranges(*call.parallel, product.columns, product.rows * product.inner, [&](int64_t first, int64_t last) {
      for (int64_t column = first; column < last; ++column)
        for (int64_t row = 0; row < product.rows; ++row) {
          double sum = product.bias == nullptr ? 0 : double{product.bias[column]};
          for (int64_t k = 0; k < product.inner; ++k)
            sum += double{call.input<float>(kX)[row * product.inner + k]} * weight_at(product, k, column);
          call.output<float>(0)[row * product.columns + column] = static_cast<float>(sum);
        }
    });
  });
}

template <>
const OperatorRules& rules<ops::MatMulNBits>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kMatMulNBits,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
