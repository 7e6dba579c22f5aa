// SPDX-License-Identifier: Apache-2.0
// GatherElements: output[i][j] = data[indices[i][j]][j] for axis 0, and so on for other axes.
#include <fmt/core.h>

#include "kernels/common/framework/elements.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/indices.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 2, 2));
  const Shape &data = spec.inputs[0].shape, &indices = spec.inputs[1].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::GatherElements>()->axis, data.rank()));
  NESTRT_RETURN_IF_ERROR(check_indices(spec.inputs[1], data[axis]));
  bool fits = indices.rank() == data.rank();
  for (int i = 0; fits && i < data.rank(); ++i) fits = i == axis || indices[i] <= data[i];
  if (!fits)
    return rule_error(fmt::format("indices have shape {}, which does not fit into the data's {} outside axis {}",
                                  indices.to_string(), data.to_string(), axis));
  return single_output(spec.inputs[0].type, indices);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Shape data = spec.inputs[0].shape, output = spec.outputs[0].shape;
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(spec.as<ops::GatherElements>()->axis, data.rank()));
  const Index data_strides = strides_of(data), output_strides = strides_of(output);
  const size_t size = size_bytes(spec.inputs[0].type);
  return make_kernel([=, index_type = spec.inputs[1].type](const KernelCall& call) {
    copy_elements(output, size, call.inputs[0], call.outputs[0], [&](const Index& index) {
      int64_t source = 0, position = 0;
      for (size_t i = 0; i < static_cast<size_t>(output.rank()); ++i) {
        position += index[i] * output_strides[i];
        if (static_cast<int>(i) != axis) source += index[i] * data_strides[i];
      }
      return source +
             index_at(call.inputs[1], index_type, position, data[axis]) * data_strides[static_cast<size_t>(axis)];
    });
  });
}

constexpr KernelVariant kKernels[] = {
    {"gather_elements.reference", 0, is_plain, prepare_reference},
};

}  // namespace

template <>
const OperatorRules& rules<ops::GatherElements>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kGatherElements,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
