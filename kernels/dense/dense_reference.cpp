// SPDX-License-Identifier: Apache-2.0
// The reference implementation of Dense: sums in double over K, in order.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/math/activation.h"
#include "kernels/dense/dense.h"

namespace nestrt::kernels {
namespace {

void output_row(const DenseGeometry& g, const Activation& activation, const KernelCall& call, int64_t row) {
  const float* x = call.input<float>(0) + row * g.inputs;
  const float* weights = call.input<float>(1);
  const float* bias = call.inputs.size() > 2 ? call.input<float>(2) : nullptr;
  for (int64_t n = 0; n < g.outputs; ++n) {
    double sum = 0;
    for (int64_t k = 0; k < g.inputs; ++k) sum += static_cast<double>(x[k]) * weights[k * g.outputs + n];
    if (bias != nullptr) sum += bias[n];
    call.output<float>(0)[row * g.outputs + n] = apply_activation(activation, static_cast<float>(sum));
  }
}

}  // namespace

bool accepts_dense_reference(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kF32 && is_plain(spec);
}

Result<std::unique_ptr<Kernel>> prepare_dense_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const DenseGeometry geometry, dense_geometry(spec));
  const Activation activation = spec.as<ops::Dense>()->activation;
  return make_kernel([geometry, activation](const KernelCall& call) {
    parallel_ranges(*call.parallel, geometry.rows, geometry.inputs * geometry.outputs,
                    [&](int64_t first, int64_t last) {
                      for (int64_t row = first; row < last; ++row) output_row(geometry, activation, call, row);
                    });
  });
}

}  // namespace nestrt::kernels
