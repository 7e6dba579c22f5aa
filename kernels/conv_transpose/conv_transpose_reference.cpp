// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/function_kernel.h"
#include "kernels/conv/reference_loops.h"
#include "kernels/conv_transpose/conv_transpose.h"

namespace nestrt::kernels {
namespace {

// Returns the position of the input that contributes to an output through a tap, or -1 if there is no such input.
int64_t source(const ConvAxis& axis, int64_t output, int64_t tap) {
  const int64_t scaled = output + axis.pad_begin - tap * axis.dilation;
  if (scaled < 0 || scaled % axis.stride != 0) return -1;
  return scaled / axis.stride < axis.input ? scaled / axis.stride : -1;
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_conv_transpose_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_transpose_geometry(spec));
  const Activation activation = spec.as<ops::ConvTranspose>()->activation;
  return make_kernel([geometry, activation](const KernelCall& call) {
    const int64_t outputs = geometry.group_outputs();
    reference_loops(geometry, activation, call, source, [&](int64_t m, int64_t c) {
      return (m / outputs * geometry.group_inputs() + c) * outputs + m % outputs;
    });
  });
}

}  // namespace nestrt::kernels
