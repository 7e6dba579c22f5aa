// SPDX-License-Identifier: Apache-2.0
// Tile: repeats the input along each axis, or broadcasts axes of length 1 (ONNX Tile and Expand).
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
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, checked_shape(spec.as<ops::Tile>()->shape, "shape"));
  const int added = shape.rank() - input.shape.rank();
  bool fits = added >= 0;
  for (int axis = 0; fits && axis < input.shape.rank(); ++axis) {
    const int64_t from = input.shape[axis], to = shape[added + axis];
    fits = from == 0 ? to == 0 : to % from == 0;
  }
  if (!fits)
    return rule_error(fmt::format("shape {} does not repeat the input {} a whole number of times on every axis",
                                  shape.to_string(), input.shape.to_string()));
  return single_output(input.type, shape);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Shape input = spec.inputs[0].shape, output = spec.outputs[0].shape;
  const Index strides = strides_of(input);
  return make_kernel([=, size = size_bytes(spec.inputs[0].type)](const KernelCall& call) {
    const int added = output.rank() - input.rank();
    copy_elements(output, size, call.inputs[0], call.outputs[0], [&](const Index& index) {
      int64_t source = 0;
      for (int axis = 0; axis < input.rank(); ++axis)
        source += index[static_cast<size_t>(added + axis)] % input[axis] * strides[static_cast<size_t>(axis)];
      return source;
    });
  });
}

Result<std::unique_ptr<Kernel>> prepare_copy(const OperatorSpec& spec) {
  const Shape &input = spec.inputs[0].shape, &output = spec.outputs[0].shape;
  if (output.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  const Index from = strides_of(input), to = strides_of(output);
  const int added = output.rank() - input.rank();
  std::vector<CopyAxis> axes;
  for (int axis = 0; axis < output.rank(); ++axis) {
    const int64_t stride = to[static_cast<size_t>(axis)];
    const int64_t dim = axis < added ? 1 : input[axis - added];
    axes.push_back({output[axis] / dim, 0, dim * stride});
    if (dim > 1) axes.push_back({dim, from[static_cast<size_t>(axis - added)], stride});
  }
  return make_kernel([copy = StridedCopy(size_bytes(spec.inputs[0].type), axes)](const KernelCall& call) {
    copy.run(call.inputs[0], call.outputs[0], *call.parallel);
  });
}

constexpr KernelVariant kKernels[] = {
    {"tile.reference", 0, is_plain, prepare_reference},
    {"tile.copy", 10, is_plain, prepare_copy},
};

}  // namespace

template <>
const OperatorRules& rules<ops::Tile>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kTile,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
