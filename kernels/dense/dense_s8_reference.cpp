// SPDX-License-Identifier: Apache-2.0
// The reference implementation of an s8 or s8c Dense: sums in int32, then the epilogue of
// kernels/common/quantization/s8_operands.h.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/dense/dense.h"

namespace nestrt::kernels {
namespace {

void output_row(const DenseGeometry& g, const s8::Epilogue& epilogue, const KernelCall& call, int64_t row) {
  const int8_t* x = call.input<int8_t>(0) + row * g.inputs;
  const int8_t* weights = call.input<int8_t>(1);
  const int32_t* bias = call.inputs.size() > 2 ? call.input<int32_t>(2) : nullptr;
  for (int64_t n = 0; n < g.outputs; ++n) {
    int32_t sum = bias != nullptr ? bias[n] : 0;
    for (int64_t k = 0; k < g.inputs; ++k)
      sum = s8::multiply_add(sum, x[k] - epilogue.input_zero, weights[k * g.outputs + n]);
    if (epilogue.wide)
      call.output<float>(0)[row * g.outputs + n] = epilogue.wide_output(sum, n);
    else
      call.output<int8_t>(0)[row * g.outputs + n] = epilogue.output(sum, n);
  }
}

}  // namespace

bool accepts_dense_s8_reference(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kS8 && is_plain(spec);
}

Result<std::unique_ptr<Kernel>> prepare_dense_s8_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const DenseGeometry geometry, dense_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(s8::Epilogue epilogue, s8::dense_epilogue(spec));
  return make_kernel([geometry, epilogue = std::move(epilogue)](const KernelCall& call) {
    parallel_ranges(*call.parallel, geometry.rows, geometry.inputs * geometry.outputs,
                    [&](int64_t first, int64_t last) {
                      for (int64_t row = first; row < last; ++row) output_row(geometry, epilogue, call, row);
                    });
  });
}

}  // namespace nestrt::kernels
