// SPDX-License-Identifier: Apache-2.0
#include "kernels/cumsum/cumsum.h"

#include <fmt/core.h>

#include <string>
#include <type_traits>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/slices.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  if (input.type != DataType::kF32 && input.type != DataType::kS32 && input.type != DataType::kS64) {
    return rule_error(fmt::format("the input is {}, expected f32, s32 or s64", name(input.type)));
  }
  const auto axis = checked_axis(spec.as<ops::CumSum>()->axis, input.shape.rank());
  if (!axis) return axis.error();
  return single_output(input.type, input.shape);
}

template <typename T, typename Sum>
Result<std::unique_ptr<Kernel>> cumsum_kernel(const OperatorSpec& spec) {
  const ops::CumSum& attributes = *spec.as<ops::CumSum>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  return make_kernel([extents, exclusive = attributes.exclusive, reverse = attributes.reverse,
                      product = attributes.product](const KernelCall& call) {
    const T* x = call.input<T>(0);
    T* y = call.output<T>(0);
    for_each_slice(*call.parallel, extents, [&](int64_t, int64_t start) {
      Sum sum = product ? Sum{1} : Sum{0};
      for (int64_t i = 0; i < extents.length; ++i) {
        const int64_t at = start + (reverse ? extents.length - 1 - i : i) * extents.inner;
        const auto element = static_cast<Sum>(x[at]);
        const Sum with = product ? sum * element : sum + element;
        y[at] = static_cast<T>(exclusive ? sum : with);
        sum = with;
      }
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return cumsum_kernel<float, double>(spec);
    case DataType::kS32:
      return cumsum_kernel<int32_t, uint32_t>(spec);
    default:
      return cumsum_kernel<int64_t, uint64_t>(spec);
  }
}

constexpr KernelVariant kKernels[] = {
    {"cumsum.reference", 0, is_plain, prepare_reference},
    {"cumsum.tiles", 10, is_plain, prepare_cumsum_tiles},
};

}  // namespace

template <>
const OperatorRules& rules<ops::CumSum>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kCumSum,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
