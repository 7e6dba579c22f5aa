// SPDX-License-Identifier: Apache-2.0
// Reshape: the same elements in another shape. The kernel runs only if the output cannot be a view of the input's
// buffer.
#include <fmt/core.h>

#include <cstring>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(spec.as<ops::Reshape>()->shape, "shape"));
  if (shape.num_elements() != input.shape.num_elements())
    return rule_error(fmt::format("shape {} and the input {} have different numbers of elements", shape.to_string(),
                                  input.shape.to_string()));
  return single_output(input.type, shape);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const auto bytes = static_cast<size_t>(spec.inputs[0].storage_bytes());
  return make_kernel([bytes](const KernelCall& call) {
    // If the output is a view of the input's buffer, both have the same address.
    if (bytes > 0 && call.outputs[0] != call.inputs[0]) std::memcpy(call.outputs[0], call.inputs[0], bytes);
  });
}

constexpr KernelVariant kKernels[] = {
    {"reshape.reference", 0, is_plain, prepare_reference},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Reshape>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kReshape,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
