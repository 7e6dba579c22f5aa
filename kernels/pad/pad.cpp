// SPDX-License-Identifier: Apache-2.0
#include "kernels/pad/pad.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "kernels/common/framework/elements.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/rules.h"
#include "kernels/common/framework/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

PadAxis pad_axis(int64_t dim, int64_t begin, int64_t end) {
  return {begin, std::max<int64_t>(0, -begin), dim - std::max<int64_t>(0, -end)};
}

// Returns the length of the output along one axis.
Result<int64_t> padded_dim(ops::PadMode mode, int64_t dim, int64_t begin, int64_t end, size_t axis) {
  const std::string where = fmt::format(" of axis {}, which has {} elements", axis, dim);
  if (std::min(begin, end) < -kMaxElements || std::max(begin, end) > kMaxElements)
    return rule_error(fmt::format("begin or end{}, is outside +-2^40", where));
  const PadAxis window = pad_axis(dim, begin, end);
  const int64_t kept = window.high - window.low;
  if (kept < 0) return rule_error(fmt::format("begin and end crop more than all{}", where));
  const int64_t longest = mode == ops::PadMode::kReflect ? kept - 1 : kept > 0 ? kMaxElements : 0;
  if (mode != ops::PadMode::kConstant && std::max(begin, end) > std::max<int64_t>(longest, 0))
    return rule_error(
        fmt::format("begin {} and end {}{}, exceed the range of mode {}", begin, end, where, ops::name(mode)));
  return dim + begin + end;
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 2));
  const TensorSpec& input = spec.inputs[0];
  if (spec.has_input(1)) {
    NESTRT_RETURN_IF_ERROR(expect_type(spec.inputs[1], input.type, "the value"));
    if (spec.inputs[1].shape.num_elements() != 1)
      return rule_error(fmt::format("the value has shape {}, expected one element", spec.inputs[1].shape.to_string()));
  }
  const ops::Pad& pad = *spec.as<ops::Pad>();
  const auto &begin = pad.begin, &end = pad.end;
  const auto rank = static_cast<size_t>(input.shape.rank());
  if (begin.size() != rank || end.size() != rank)
    return rule_error(
        fmt::format("begin and end have {} and {} entries, expected {} each", begin.size(), end.size(), rank));
  Shape shape = input.shape;
  for (size_t i = 0; i < rank; ++i) {
    const int axis = static_cast<int>(i);
    NESTRT_ASSIGN_OR_RETURN(shape[axis], padded_dim(pad.mode, input.shape[axis], begin[i], end[i], i));
  }
  NESTRT_RETURN_IF_ERROR(checked_shape(shape.dims(), "the output").error());
  return single_output(input.type, shape);
}

Result<std::unique_ptr<Kernel>> prepare_reference(const OperatorSpec& spec) {
  const Shape output = spec.outputs[0].shape;
  const Index strides = strides_of(spec.inputs[0].shape);
  const ops::PadMode mode = spec.as<ops::Pad>()->mode;
  const size_t size = size_bytes(spec.inputs[0].type);
  return make_kernel([=, axes = pad_axes(spec), value = PadElement(spec)](const KernelCall& call) {
    const ElementBytes element = value.of(call);
    for_each_index(output, [&](const Index& index, int64_t position) {
      int64_t source = 0;
      bool padding = false;
      for (size_t i = 0; i < static_cast<size_t>(output.rank()); ++i) {
        int64_t along = index[i] - axes[i].begin;
        if (!axes[i].contains(along)) {
          padding = padding || mode == ops::PadMode::kConstant;
          if (!padding) along = axes[i].outside(along, mode);
        }
        source += along * strides[i];
      }
      const std::byte* from = padding ? element.data() : call.inputs[0] + source * static_cast<int64_t>(size);
      std::memcpy(call.outputs[0] + static_cast<size_t>(position) * size, from, size);
    });
  });
}

constexpr KernelVariant kKernels[] = {
    {"pad.reference", 0, is_plain, prepare_reference},
    {"pad.rows", 10, is_plain, prepare_pad_rows},
};

}  // namespace

PadElement::PadElement(const OperatorSpec& spec)
    : is_operand_(spec.has_input(1)),
      bytes_(size_bytes(spec.inputs[0].type)),
      stated_(element_of(spec.as<ops::Pad>()->value, spec.inputs[0].type)) {}

ElementBytes PadElement::of(const KernelCall& call) const {
  ElementBytes element = stated_;
  if (is_operand_) std::memcpy(element.data(), call.inputs[1], bytes_);
  return element;
}

PadAxes pad_axes(const OperatorSpec& spec) {
  const ops::Pad& pad = *spec.as<ops::Pad>();
  const auto &begin = pad.begin, &end = pad.end;
  PadAxes axes{};
  for (size_t i = 0; i < begin.size(); ++i)
    axes[i] = pad_axis(spec.inputs[0].shape[static_cast<int>(i)], begin[i], end[i]);
  return axes;
}

template <>
const OperatorRules& rules<ops::Pad>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kPad,
      .infer = infer,
      .macs = no_macs,
      .steps = copy_steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
