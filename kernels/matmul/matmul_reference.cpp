// SPDX-License-Identifier: Apache-2.0
// The reference implementation of MatMul: sums in double over K, in order.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/matmul/matmul.h"

namespace nestrt::kernels {
namespace {

// Computes one row of one product.
void output_row(const MatMulGeometry& g, const KernelCall& call, int64_t batch, int64_t row) {
  const float* a = call.input<float>(0) + (g.a_index(batch) * g.rows + row) * g.inner;
  const float* b = call.input<float>(1) + g.b_index(batch) * g.inner * g.columns;
  float* y = call.output<float>(0) + (batch * g.rows + row) * g.columns;
  for (int64_t n = 0; n < g.columns; ++n) {
    double sum = 0;
    for (int64_t k = 0; k < g.inner; ++k) sum += static_cast<double>(a[k]) * b[k * g.columns + n];
    y[n] = static_cast<float>(sum);
  }
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_matmul_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const MatMulGeometry g, matmul_geometry(spec));
  return make_kernel([g](const KernelCall& call) {
    parallel_ranges(*call.parallel, g.batches() * g.rows, g.inner * g.columns, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) output_row(g, call, i / g.rows, i % g.rows);
    });
  });
}

}  // namespace nestrt::kernels
