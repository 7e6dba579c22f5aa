// SPDX-License-Identifier: Apache-2.0
// The reference implementation of MatMulInteger: sums modulo 2^32 over K, in order.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/quantization/integer_operands.h"
#include "kernels/matmul_integer/matmul_integer.h"

namespace nestrt::kernels {
namespace {

void output_row(const MatMulGeometry& g, const IntegerOperands& operands, const KernelCall& call, int64_t batch,
                int64_t row) {
  const int64_t a = (g.a_index(batch) * g.rows + row) * g.inner, b = g.b_index(batch) * g.inner * g.columns;
  const int64_t y = (batch * g.rows + row) * g.columns;
  for (int64_t n = 0; n < g.columns; ++n) {
    uint32_t sum = 0;
    for (int64_t k = 0; k < g.inner; ++k) {
      const int32_t left = integer_at(call.inputs[0], operands.a_is_u8(), a + k) - operands.input_zero(call);
      const int32_t right =
          integer_at(call.inputs[1], operands.b_is_u8(), b + k * g.columns + n) - operands.weight_zero(call, n);
      sum += static_cast<uint32_t>(left * right);
    }
    const auto integer = static_cast<int32_t>(sum);
    if (operands.is_scaled())
      call.output<float>(0)[y + n] = operands.scaled(call, integer, n);
    else
      call.output<int32_t>(0)[y + n] = integer;
  }
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_matmul_integer_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const MatMulGeometry g, matmul_integer_geometry(spec));
  return make_kernel([g, operands = IntegerOperands(spec)](const KernelCall& call) {
    parallel_ranges(*call.parallel, g.batches() * g.rows, g.inner * g.columns, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) output_row(g, operands, call, i / g.rows, i % g.rows);
    });
  });
}

}  // namespace nestrt::kernels
