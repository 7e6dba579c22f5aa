// SPDX-License-Identifier: Apache-2.0
#include "kernels/arg_reduce/arg_reduce.h"

#include <fmt/core.h>

#include <string>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/slices.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const ops::ArgReduce& attributes = *spec.as<ops::ArgReduce>();
  const TensorSpec& input = spec.inputs[0];
  if (input.type == DataType::kBool) return rule_error("the input is bool, expected numbers");
  NESTRT_ASSIGN_OR_RETURN(const int axis, checked_axis(attributes.axis, input.shape.rank()));
  if (input.shape[axis] == 0) return rule_error(fmt::format("axis {} is empty: it has no largest element", axis));
  Shape shape;
  for (int i = 0; i < input.shape.rank(); ++i) {
    if (i != axis)
      shape.push_back(input.shape[i]);
    else if (attributes.keep_dims)
      shape.push_back(1);
  }
  return single_output(DataType::kS64, shape);
}

int64_t steps(const OperatorSpec& spec) { return element_steps(spec, kFunctionSteps, kCopySteps); }

template <typename T>
bool is_nan(T x) {
  return x != x;
}

// Returns whether a later candidate replaces the current best.
template <typename T>
bool beats(T candidate, T best, bool smallest, bool select_last) {
  if (is_nan(best)) return select_last && is_nan(candidate);
  if (is_nan(candidate) || (smallest ? candidate < best : candidate > best)) return true;
  return select_last && candidate == best;
}

template <typename T>
Result<std::unique_ptr<Kernel>> arg_kernel(const OperatorSpec& spec) {
  const ops::ArgReduce& attributes = *spec.as<ops::ArgReduce>();
  const AxisExtents extents = axis_extents(spec.inputs[0].shape, attributes.axis);
  return make_kernel([extents, smallest = attributes.min, last = attributes.select_last](const KernelCall& call) {
    const T* x = call.input<T>(0);
    int64_t* y = call.output<int64_t>(0);
    for_each_slice(*call.parallel, extents, [&](int64_t slice, int64_t start) {
      int64_t best = 0;
      for (int64_t i = 1; i < extents.length; ++i) {
        if (beats(x[start + i * extents.inner], x[start + best * extents.inner], smallest, last)) best = i;
      }
      y[slice] = best;
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  switch (spec.inputs[0].type) {
    case DataType::kF32:
      return arg_kernel<float>(spec);
    case DataType::kS8:
      return arg_kernel<int8_t>(spec);
    case DataType::kU8:
      return arg_kernel<uint8_t>(spec);
    case DataType::kS32:
      return arg_kernel<int32_t>(spec);
    default:
      return arg_kernel<int64_t>(spec);
  }
}

constexpr KernelVariant kKernels[] = {
    {"arg_reduce.reference", 0, is_plain, prepare_reference},
    {"arg_reduce.f32.simd", 10, accepts_arg_reduce_simd, prepare_arg_reduce_simd},
};

}  // namespace

template <>
const OperatorRules& rules<ops::ArgReduce>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kArgReduce,
      .infer = infer,
      .macs = no_macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
