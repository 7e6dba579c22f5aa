#include "kernels/pad/pad.h"

#include <algorithm>

#include "kernels/common/rules.h"

namespace nestrt::kernels {
namespace {

PadAxis pad_axis(int64_t dim, int64_t begin, int64_t end) {
  return {begin, std::max<int64_t>(0, -begin), dim - std::max<int64_t>(0, -end)};
}

// The output's length along one axis.
Result<int64_t> padded_dim(plan::PadMode mode, int64_t dim, int64_t begin, int64_t end, size_t axis) {
  const std::string where = " of axis " + std::to_string(axis) + ", which has " + std::to_string(dim) + " elements";
  if (std::min(begin, end) < -kMaxElements || std::max(begin, end) > kMaxElements)
    return rule_error("begin or end" + where + ", is outside +-2^40");
  const PadAxis window = pad_axis(dim, begin, end);
  const int64_t kept = window.high - window.low;
  if (kept < 0) return rule_error("begin and end crop more than all" + where);
  const int64_t longest = mode == plan::PadMode::reflect ? kept - 1 : kept > 0 ? kMaxElements : 0;
  if (mode != plan::PadMode::constant && std::max(begin, end) > std::max<int64_t>(longest, 0))
    return rule_error("begin " + std::to_string(begin) + " and end " + std::to_string(end) + where +
                      ", reach beyond what mode " + plan::EnumNamePadMode(mode) + " can take from it");
  return dim + begin + end;
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_RETURN_IF_ERROR(expect_inputs(spec, 1, 1));
  const TensorSpec& input = spec.inputs[0];
  const auto* pad = spec.op->attributes_as_Pad();
  const auto begin = span_of(pad->begin()), end = span_of(pad->end());
  const auto rank = static_cast<size_t>(input.shape.rank());
  if (pad->mode() > plan::PadMode::MAX)
    return rule_error("mode has the unknown value " + std::to_string(static_cast<int>(pad->mode())));
  if (begin.size() != rank || end.size() != rank)
    return rule_error("begin and end have " + std::to_string(begin.size()) + " and " + std::to_string(end.size()) +
                      " entries, expected " + std::to_string(rank) + " each");
  Shape shape = input.shape;
  for (size_t i = 0; i < rank; ++i) {
    const int axis = static_cast<int>(i);
    NESTRT_ASSIGN_OR_RETURN(shape[axis], padded_dim(pad->mode(), input.shape[axis], begin[i], end[i], i));
  }
  NESTRT_RETURN_IF_ERROR(checked_shape(shape.dims(), "the output").error());
  return single_output(input.type, shape);
}

}  // namespace

PadAxes pad_axes(const OperatorSpec& spec) {
  const auto* pad = spec.op->attributes_as_Pad();
  const auto begin = span_of(pad->begin()), end = span_of(pad->end());
  PadAxes axes{};
  for (size_t i = 0; i < begin.size(); ++i)
    axes[i] = pad_axis(spec.inputs[0].shape[static_cast<int>(i)], begin[i], end[i]);
  return axes;
}

const OperatorRules& pad_rules() {
  static constexpr KernelVariant kVariants[] = {{"pad.reference", 0, is_plain, prepare_pad_reference}};
  static const OperatorRules rules{plan::Attributes::Pad, "Pad", infer, kVariants};
  return rules;
}

}  // namespace nestrt::kernels
