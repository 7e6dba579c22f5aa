// SPDX-License-Identifier: Apache-2.0
// Transpose: output axis i is input axis permutation[i].
#include <fmt/core.h>

#include "kernels/common/framework/elements.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/strided_copy.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  const auto& permutation = spec.as<ops::Transpose>()->permutation;
  const int rank = input.shape.rank();
  if (permutation.size() != static_cast<size_t>(rank))
    return rule_error(fmt::format("permutation has {} entries, expected {} for an input of shape {}",
                                  permutation.size(), rank, input.shape.to_string()));
  Shape shape;
  unsigned seen = 0;
  for (int32_t axis : permutation) {
    if (axis < 0 || axis >= rank || (seen >> axis & 1) != 0)
      return rule_error(fmt::format("permutation must list each axis below {} exactly once", rank));
    seen |= 1u << axis;
    shape.push_back(input.shape[axis]);
  }
  return single_output(input.type, shape);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  const auto& permutation = spec.as<ops::Transpose>()->permutation;
  const Index strides = strides_of(input.shape);
  return make_kernel(
      [permutation, strides, shape = output.shape, size = size_bytes(input.type)](const KernelCall& call) {
        copy_elements(shape, size, call.inputs[0], call.outputs[0], [&](const Index& index) {
          int64_t source = 0;
          for (size_t i = 0; i < permutation.size(); ++i)
            source += index[i] * strides[static_cast<size_t>(permutation[i])];
          return source;
        });
      });
}

Result<std::unique_ptr<Kernel>> prepare_copy(const OperatorSpec& spec) {
  const Shape& output = spec.outputs[0].shape;
  const auto& permutation = spec.as<ops::Transpose>()->permutation;
  const Index from = strides_of(spec.inputs[0].shape), to = strides_of(output);
  std::vector<CopyAxis> axes;
  for (size_t i = 0; i < permutation.size(); ++i)
    axes.push_back({output[static_cast<int>(i)], from[static_cast<size_t>(permutation[i])], to[i]});
  return make_kernel([copy = StridedCopy(size_bytes(spec.inputs[0].type), axes)](const KernelCall& call) {
    copy.run(call.inputs[0], call.outputs[0], *call.parallel);
  });
}

constexpr KernelVariant kKernels[] = {
    {"transpose.reference", 0, is_plain, prepare_reference},
    {"transpose.copy", 10, is_plain, prepare_copy},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Transpose>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kTranspose,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
