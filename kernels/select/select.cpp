// SPDX-License-Identifier: Apache-2.0
#include "kernels/select/select.h"

#include <fmt/core.h>

#include <array>
#include <string>

#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/broadcast.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 3, 3));
  const TensorSpec &condition = spec.inputs[0], &a = spec.inputs[1], &b = spec.inputs[2];
  if (condition.type != DataType::kBool) {
    return rule_error(fmt::format("the condition is {}, expected bool", name(condition.type)));
  }
  if (a.type != b.type) {
    return rule_error(fmt::format("the values are {} and {}, expected the same type", name(a.type), name(b.type)));
  }
  const std::array shapes = {&condition.shape, &a.shape, &b.shape};
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, broadcast_shapes(shapes));
  return single_output(a.type, shape);
}

// T represents any element type of the same size.
template <typename T>
Result<std::unique_ptr<Kernel>> select_kernel(const OperatorSpec& spec) {
  const Shape& shape = spec.outputs[0].shape;
  const auto loop =
      make_broadcast_loop<3>(shape, {&spec.inputs[0].shape, &spec.inputs[1].shape, &spec.inputs[2].shape});
  return make_kernel([loop, count = shape.num_elements()](const KernelCall& call) {
    const uint8_t* condition = call.input<uint8_t>(0);
    const T *a = call.input<T>(1), *b = call.input<T>(2);
    T* y = call.output<T>(0);
    const int64_t steps[] = {loop.inner_stride(0), loop.inner_stride(1), loop.inner_stride(2)};
    parallel_ranges(*call.parallel, count, 1, [&](int64_t first, int64_t last) {
      for_each_run(loop, first, last, [&](int64_t out, const auto& offsets, int64_t length) {
        for (int64_t i = 0; i < length; ++i) {
          const bool chosen = condition[offsets[0] + i * steps[0]] != 0;
          y[out + i] = chosen ? a[offsets[1] + i * steps[1]] : b[offsets[2] + i * steps[2]];
        }
      });
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  switch (size_bytes(spec.outputs[0].type)) {
    case 1:
      return select_kernel<uint8_t>(spec);
    case 4:
      return select_kernel<uint32_t>(spec);
    default:
      return select_kernel<uint64_t>(spec);
  }
}

constexpr KernelVariant kKernels[] = {
    {"select.reference", 0, is_plain, prepare_reference},
    {"select.simd", 10, is_plain, prepare_select_simd},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Select>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kSelect,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
