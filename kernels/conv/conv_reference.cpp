// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/framework/function_kernel.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/reference_loops.h"

namespace nestrt::kernels {
Result<std::unique_ptr<Kernel>> prepare_conv_reference(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const ConvGeometry geometry, conv_geometry(spec));
  const Activation activation = spec.as<ops::Conv>()->activation;
  return make_kernel([geometry, activation](const KernelCall& call) {
    reference_loops(geometry, activation, call, tap_position,
                    [&](int64_t m, int64_t c) { return m * geometry.group_inputs() + c; });
  });
}

}  // namespace nestrt::kernels
