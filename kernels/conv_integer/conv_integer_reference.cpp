// SPDX-License-Identifier: Apache-2.0
// The reference implementation of ConvInteger: sums modulo 2^32 over channels, then taps.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/quantization/integer_operands.h"
#include "kernels/conv/reference_loops.h"
#include "kernels/conv_integer/conv_integer.h"

namespace nestrt::kernels {
namespace {

int32_t sum_of(const ConvGeometry& g, const IntegerOperands& operands, const KernelCall& call, int64_t n, int64_t m,
               const Position& at) {
  const int64_t first = n * g.in_channels + m / g.group_outputs() * g.group_inputs();
  const int32_t input_zero = operands.input_zero(call), weight_zero = operands.weight_zero(call, m);
  const ReferenceTaps taps = taps_at(g, at, tap_position);
  uint32_t sum = 0;
  for (int64_t c = 0; c < g.group_inputs(); ++c) {
    const int64_t x = (first + c) * g.in_spatial(), weights = (m * g.group_inputs() + c) * g.taps();
    for_each_tap(g, taps, [&](int64_t element, int64_t tap) {
      const int32_t left = integer_at(call.inputs[0], operands.a_is_u8(), x + element) - input_zero;
      const int32_t right = integer_at(call.inputs[1], operands.b_is_u8(), weights + tap) - weight_zero;
      sum += static_cast<uint32_t>(left * right);
    });
  }
  return static_cast<int32_t>(sum);
}

void output_channel(const ConvGeometry& g, const IntegerOperands& operands, const KernelCall& call, int64_t n,
                    int64_t m) {
  const int64_t height = g.axes[1].output, width = g.axes[2].output;
  for (int64_t i = 0; i < g.out_spatial(); ++i) {
    const int32_t sum = sum_of(g, operands, call, n, m, {i / width / height, i / width % height, i % width});
    const int64_t index = (n * g.out_channels + m) * g.out_spatial() + i;
    if (operands.is_scaled())
      call.output<float>(0)[index] = operands.scaled(call, sum, m);
    else
      call.output<int32_t>(0)[index] = sum;
  }
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_conv_integer_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry g, conv_integer_geometry(spec));
  return make_kernel([g, operands = IntegerOperands(spec)](const KernelCall& call) {
    call.parallel->parallel_for(g.batch * g.out_channels, [&](int64_t i, int) {
      output_channel(g, operands, call, i / g.out_channels, i % g.out_channels);
    });
  });
}

}  // namespace nestrt::kernels
