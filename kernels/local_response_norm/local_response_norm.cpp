// SPDX-License-Identifier: Apache-2.0
#include "kernels/local_response_norm/local_response_norm.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[0], DataType::kF32, "the input"));
  const Shape& shape = spec.inputs[0].shape;
  if (shape.rank() < 2) return rule_error(fmt::format("the input has rank {}, expected at least 2", shape.rank()));
  const int32_t size = spec.as<ops::LocalResponseNorm>()->size;
  if (size < 1) return rule_error(fmt::format("size is {}, expected at least 1", size));
  return single_output(DataType::kF32, shape);
}

int64_t steps(const OperatorSpec& spec) {
  const int64_t window = std::min<int64_t>(spec.as<ops::LocalResponseNorm>()->size, spec.inputs[0].shape[1]);
  return element_steps(spec, 1, saturating_sum(kFunctionSteps, window));
}

constexpr KernelVariant kKernels[] = {
    {"local_response_norm.f32.plain", 10, accepts_local_response_norm_plain, prepare_local_response_norm_plain},
    {"local_response_norm.f32.blocked", 10, accepts_local_response_norm_blocked, prepare_local_response_norm_blocked},
    {"local_response_norm.f32.reference", 0, accepts_local_response_norm_reference,
     prepare_local_response_norm_reference},
};

}  // namespace

template <>
const OperatorRules& rules<ops::LocalResponseNorm>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kLocalResponseNorm,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
