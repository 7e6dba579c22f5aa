// SPDX-License-Identifier: Apache-2.0
// The reference implementation of an s8 or s8c Conv: sums in int32, then the epilogue of
// kernels/common/quantization/s8_operands.h.
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/quantization/s8_operands.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/reference_loops.h"

namespace nestrt::kernels {
namespace {

int32_t accumulate(const ConvGeometry& g, int32_t zero, const KernelCall& call, int64_t n, int64_t m,
                   const Position& at) {
  const int32_t* bias = call.inputs.size() > 2 ? call.input<int32_t>(2) : nullptr;
  const int64_t first = n * g.in_channels + m / g.group_outputs() * g.group_inputs();
  int32_t sum = bias != nullptr ? bias[m] : 0;
  const ReferenceTaps taps = taps_at(g, at, tap_position);
  for (int64_t c = 0; c < g.group_inputs(); ++c) {
    const int8_t* x = call.input<int8_t>(0) + (first + c) * g.in_spatial();
    const int8_t* weights = call.input<int8_t>(1) + (m * g.group_inputs() + c) * g.taps();
    for_each_tap(g, taps,
                 [&](int64_t element, int64_t tap) { sum = s8::multiply_add(sum, x[element] - zero, weights[tap]); });
  }
  return sum;
}

void output_channel(const ConvGeometry& g, const s8::Epilogue& epilogue, const KernelCall& call, int64_t n, int64_t m) {
  const int64_t height = g.axes[1].output, width = g.axes[2].output;
  for (int64_t i = 0; i < g.out_spatial(); ++i) {
    const Position at{i / width / height, i / width % height, i % width};
    const int32_t sum = accumulate(g, epilogue.input_zero, call, n, m, at);
    const int64_t index = (n * g.out_channels + m) * g.out_spatial() + i;
    if (epilogue.wide)
      call.output<float>(0)[index] = epilogue.wide_output(sum, m);
    else if (epilogue.has_residual)
      call.output<int8_t>(0)[index] = epilogue.output(sum, m, call.input<int8_t>(3)[index]);
    else
      call.output<int8_t>(0)[index] = epilogue.output(sum, m);
  }
}

}  // namespace

bool accepts_conv_s8_reference(const OperatorSpec& spec) {
  return spec.inputs[0].type == DataType::kS8 && is_plain(spec);
}

Result<std::unique_ptr<Kernel>> prepare_conv_s8_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_geometry(spec));
  NESTRT_ASSIGN_OR_RETURN(s8::Epilogue epilogue, s8::conv_epilogue(spec));
  return make_kernel([geometry, epilogue = std::move(epilogue)](const KernelCall& call) {
    call.parallel->parallel_for(geometry.batch * geometry.out_channels, [&](int64_t i, int) {
      output_channel(geometry, epilogue, call, i / geometry.out_channels, i % geometry.out_channels);
    });
  });
}

}  // namespace nestrt::kernels
