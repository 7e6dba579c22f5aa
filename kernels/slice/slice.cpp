// SPDX-License-Identifier: Apache-2.0
// Slice: a strided window of the input; see ops::Slice.
#include <fmt/core.h>

#include "kernels/common/framework/elements.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/common/layout/strided_copy.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

// Returns whether the window of `count` elements is inside an axis of `dim` elements.
bool inside(int64_t dim, int64_t start, int64_t step, int64_t count) {
  int64_t last = 0;
  if (__builtin_mul_overflow(count - 1, step, &last) || __builtin_add_overflow(last, start, &last)) return false;
  return start >= 0 && start < dim && last >= 0 && last < dim;
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  const ops::Slice& slice = *spec.as<ops::Slice>();
  const auto &start = slice.start, &step = slice.step;
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(slice.shape, "shape"));
  const auto rank = static_cast<size_t>(input.shape.rank());
  if (start.size() != rank || step.size() != rank || shape.dims().size() != rank)
    return rule_error(fmt::format("start, step and shape have {}, {} and {} entries, expected {} each", start.size(),
                                  step.size(), shape.rank(), rank));
  for (size_t i = 0; i < rank; ++i) {
    const int axis = static_cast<int>(i);
    if (step[i] == 0) return rule_error(fmt::format("step of axis {} is 0", i));
    if (shape[axis] > 0 && !inside(input.shape[axis], start[i], step[i], shape[axis]))
      return rule_error(fmt::format("start {} with step {} reads {} elements past the end of axis {}, which has {}",
                                    start[i], step[i], shape[axis], i, input.shape[axis]));
  }
  return single_output(input.type, shape);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const TensorSpec &input = spec.inputs[0], &output = spec.outputs[0];
  const ops::Slice& slice = *spec.as<ops::Slice>();
  const Index strides = strides_of(input.shape);
  return make_kernel([start = slice.start, step = slice.step, strides, shape = output.shape,
                      size = size_bytes(input.type)](const KernelCall& call) {
    copy_elements(shape, size, call.inputs[0], call.outputs[0], [&](const Index& index) {
      int64_t source = 0;
      for (size_t i = 0; i < start.size(); ++i) source += (start[i] + index[i] * step[i]) * strides[i];
      return source;
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_copy(const OperatorSpec& spec) {
  const Shape& output = spec.outputs[0].shape;
  const ops::Slice& slice = *spec.as<ops::Slice>();
  const auto &start = slice.start, &step = slice.step;
  const Index from = strides_of(spec.inputs[0].shape), to = strides_of(output);
  if (output.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  std::vector<CopyAxis> axes;
  int64_t offset = 0;
  for (size_t i = 0; i < start.size(); ++i) {
    const int64_t count = output[static_cast<int>(i)];
    axes.push_back({count, count == 1 ? 0 : step[i] * from[i], to[i]});
    offset += start[i] * from[i];
  }
  return make_kernel([copy = StridedCopy(size_bytes(spec.inputs[0].type), axes, offset)](const KernelCall& call) {
    copy.run(call.inputs[0], call.outputs[0], *call.parallel);
  });
}

constexpr KernelVariant kKernels[] = {
    {"slice.reference", 0, is_plain, prepare_reference},
    {"slice.copy", 10, is_plain, prepare_copy},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Slice>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kSlice,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
