#include "kernels/separable_conv/separable_conv.h"

#include <fmt/core.h>

#include <limits>
#include <utility>

#include "kernels/common/rules.h"
#include "kernels/common/steps.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

constexpr size_t kDepthwiseWeights = 1, kAfterWeights = 3, kBeforeWeights = 6, kInputs = 8;

const TensorSpec& operand(const OperatorSpec& spec, size_t index) {
  static const TensorSpec absent = [] {
    TensorSpec result;
    result.present = false;
    return result;
  }();
  return index < spec.inputs.size() ? spec.inputs[index] : absent;
}

ops::Conv pointwise(const ops::SeparableConv& op, const ops::Activation& activation) {
  ops::Conv conv;
  conv.kernel = conv.stride = conv.dilation = {1, 1};
  conv.pad_begin = conv.pad_end = {0, 0};
  conv.activation = activation;
  conv.rounding = op.rounding;
  return conv;
}

Result<ops::Conv> depthwise(const ops::SeparableConv& op, const Shape& weights) {
  if (weights.rank() < 1 || weights[0] < 1 || weights[0] > std::numeric_limits<int32_t>::max())
    return rule_error(fmt::format("depthwise weights are {}", weights.to_string()));
  ops::Conv conv = pointwise(op, op.depthwise_activation);
  conv.kernel = op.kernel;
  conv.stride = op.stride;
  conv.pad_begin = op.pad_begin;
  conv.pad_end = op.pad_end;
  conv.group = static_cast<int32_t>(weights[0]);
  return conv;
}

// Appends weights and bias, which are there from operand `first` on.
std::unique_ptr<SeparablePart> make_part(const OperatorSpec& spec, ops::Conv conv, const TensorSpec& input,
                                         size_t first) {
  auto part = std::make_unique<SeparablePart>();
  part->attributes = std::move(conv);
  part->inputs = {input, operand(spec, first), operand(spec, first + 1)};
  return part;
}

Result<std::vector<TensorSpec>> infer_part(const SeparablePart& part) { return rules<ops::Conv>().infer(part.spec()); }

// Gives it an output of that exponent, which lies as the input does.
Status add_output(SeparablePart& part, int8_t exponent) {
  NESTRT_ASSIGN_OR_RETURN(std::vector<TensorSpec> outputs, infer_part(part));
  outputs[0].layout = part.inputs[0].layout;
  if (outputs[0].type == DataType::kS8) {
    part.between.exponents = {exponent};
    outputs[0].quantization = &part.between;
  }
  part.outputs = std::move(outputs);
  return infer_part(part).error();
}

Result<std::vector<TensorSpec>> infer(const OperatorSpec& spec) {
  NESTRT_ASSIGN_OR_RETURN(const SeparableParts parts, separable_parts(spec));
  return infer_part(*parts.after);
}

uint64_t macs(const OperatorSpec& spec) {
  const Result<SeparableParts> parts = separable_parts(spec);
  uint64_t sum = 0;
  if (parts)
    for (const SeparablePart* part : parts->all()) sum += rules<ops::Conv>().macs.get()(part->spec());
  return sum;
}

int64_t steps(const OperatorSpec& spec) {
  const Result<SeparableParts> parts = separable_parts(spec);
  int64_t sum = 0;
  if (parts)
    for (const SeparablePart* part : parts->all())
      sum = saturating_sum(sum, rules<ops::Conv>().steps.get()(part->spec()));
  return sum;
}

constexpr KernelVariant kKernels[] = {
    {"separable_conv.blocked16", 20, accepts_separable_conv_blocked16, prepare_separable_conv_blocked16},
    {"separable_conv.reference", 0, accepts_separable_conv_reference, prepare_separable_conv_reference},
};

}  // namespace

Result<SeparableParts> separable_parts(const OperatorSpec& spec) {
  const ops::SeparableConv& op = *spec.as<ops::SeparableConv>();
  if (spec.inputs.size() > kInputs || !spec.has_input(0) || !spec.has_input(kDepthwiseWeights) ||
      !spec.has_input(kAfterWeights))
    return rule_error(fmt::format("needs input and weights, and has {} operands", spec.inputs.size()));
  if (spec.inputs[0].shape.rank() != 4) return rule_error("the input does not have two spatial axes");
  SeparableParts parts;
  const TensorSpec* input = &spec.inputs[0];
  if (spec.has_input(kBeforeWeights)) {
    parts.before = make_part(spec, pointwise(op, op.before_activation), *input, kBeforeWeights);
    NESTRT_RETURN_IF_ERROR(add_output(*parts.before, op.before_exponent));
    input = &parts.before->outputs[0];
  }
  NESTRT_ASSIGN_OR_RETURN(ops::Conv conv, depthwise(op, spec.inputs[kDepthwiseWeights].shape));
  parts.depthwise = make_part(spec, std::move(conv), *input, kDepthwiseWeights);
  NESTRT_RETURN_IF_ERROR(add_output(*parts.depthwise, op.depthwise_exponent));
  conv = pointwise(op, op.activation);
  conv.inner_exponent = op.inner_exponent;
  parts.after = make_part(spec, std::move(conv), parts.depthwise->outputs[0], kAfterWeights);
  parts.after->inputs.push_back(operand(spec, kSeparableResidual));
  parts.after->outputs.assign(spec.outputs.begin(), spec.outputs.end());
  NESTRT_RETURN_IF_ERROR(infer_part(*parts.after).error());
  return parts;
}

template <>
const OperatorRules& rules<ops::SeparableConv>() {
  static constexpr OperatorRules kRules{
      .kind = ops::Kind::kSeparableConv,
      .infer = infer,
      .macs = macs,
      .steps = steps,
      .division = kIndivisible,
      .kernels = {kKernels},
  };
  return kRules;
}

}  // namespace nestrt::kernels
