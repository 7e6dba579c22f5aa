#include "runtime/plan/channels.h"

#include <limits>
#include <vector>

#include "runtime/plan/packing_size.h"
#include "runtime/plan/tables.h"

namespace nestrt {
namespace {

constexpr size_t kMaxInputs = 4;
constexpr size_t kWeights = 1, kBias = 2;  // inputs of a convolution

// What the conditions are about; quantization as the plan has it.
TensorSpec spec_of(const plan::Plan& plan, int32_t index) {
  TensorSpec spec;
  spec.present = index >= 0;
  if (!spec.present) return spec;
  const plan::Tensor& tensor = *items(plan.tensors())[static_cast<uint32_t>(index)];
  spec.type = static_cast<DataType>(tensor.type());
  spec.shape = shape_of(tensor);
  spec.layout = static_cast<Layout>(tensor.layout());
  spec.packing = tensor.packing();
  spec.quantization = tensor.quantization();
  return spec;
}

bool is_s8(const TensorSpec& tensor) {
  return tensor.present && tensor.type == DataType::kS8 && tensor.quantization != nullptr &&
         items(tensor.quantization->exponents()).size() > 0;
}

bool packed_by_outputs(const TensorSpec& weights, bool depthwise) {
  switch (weights.packing) {
    case plan::Packing::s8_o16i4:
    case plan::Packing::s8_o16i16:
    case plan::Packing::s8_stem:
      return !depthwise;
    case plan::Packing::s8_depthwise16:
      return depthwise;
    default:
      return false;
  }
}

// One image in blocks.
bool is_blocked(const TensorSpec& tensor) {
  return is_s8(tensor) && tensor.layout == Layout::kBlocked16 && tensor.packing == plan::Packing::none &&
         tensor.shape.rank() >= 3 && tensor.shape[0] == 1;
}

bool takes_weights(const TensorSpec& weights, int64_t channels, bool depthwise) {
  return is_s8(weights) && packed_by_outputs(weights, depthwise) &&
         packed_size_bytes(weights.packing, weights.shape).has_value() && weights.shape[0] == channels;
}

bool takes_conv(const OperatorSpec& spec, const plan::Conv& conv) {
  if (spec.inputs.size() < 2 || conv.wide_output() || !is_s8(spec.inputs[0])) return false;
  const int64_t channels = spec.outputs[0].shape[1];
  const bool depthwise = conv.group() != 1;
  if (depthwise && conv.group() != channels) return false;
  if (!takes_weights(spec.inputs[1], channels, depthwise)) return false;
  if (spec.has_input(2) && !(spec.inputs[2].type == DataType::kS32 && spec.inputs[2].layout == Layout::kPlain &&
                             spec.inputs[2].packing == plan::Packing::none && spec.inputs[2].shape == Shape{channels}))
    return false;
  return !spec.has_input(3) || spec.inputs[3].shape == spec.outputs[0].shape;
}

// Whether it treats channels one by one.
bool takes_channels(const OperatorSpec& spec) {
  const auto same_shape = [&](const TensorSpec& input) { return input.shape == spec.outputs[0].shape; };
  if (const plan::Pool* pool = spec.op->attributes_as_Pool())
    return spec.inputs.size() == 1 && (pool->kind() == plan::PoolKind::max || pool->kind() == plan::PoolKind::average);
  if (const plan::Unary* unary = spec.op->attributes_as_Unary())
    return spec.inputs.size() == 1 && same_shape(spec.inputs[0]) &&
           (unary->kind() == plan::UnaryKind::relu || unary->kind() == plan::UnaryKind::clip);
  if (const plan::Binary* binary = spec.op->attributes_as_Binary())
    return spec.inputs.size() == 2 && same_shape(spec.inputs[0]) && same_shape(spec.inputs[1]) &&
           binary->kind() == plan::BinaryKind::add;
  return spec.op->attributes_type() == plan::Attributes::Requantize && spec.inputs.size() == 1 &&
         same_shape(spec.inputs[0]);
}

// Whether all that is cut along axis 1 lies as the output does.
bool lie_in_blocks(const OperatorSpec& spec) {
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const TensorSpec& input = spec.inputs[i];
    if (input.present && channel_axis(*spec.op, i) == 1 &&
        !(is_blocked(input) && input.shape[1] == spec.outputs[0].shape[1]))
      return false;
  }
  return true;
}

bool is_divisible(const OperatorSpec& spec) {
  if (spec.inputs.empty() || spec.inputs.size() > kMaxInputs || spec.outputs.size() != 1) return false;
  if (!is_blocked(spec.outputs[0])) return false;
  const plan::Conv* const conv = spec.op->attributes_as_Conv();
  return (conv != nullptr ? takes_conv(spec, *conv) : takes_channels(spec)) && lie_in_blocks(spec);
}

}  // namespace

uint32_t divisible_channels(const OperatorSpec& spec) {
  if (!is_divisible(spec)) return 0;
  const int64_t channels = spec.outputs[0].shape[1];
  const bool several = channels > int64_t{kChannelBlock} && channels <= std::numeric_limits<int32_t>::max();
  return several ? static_cast<uint32_t>(channels) : 0;
}

uint32_t divisible_channels(const plan::Plan& plan, uint32_t operator_index) {
  const plan::Operator& op = *items(plan.operators())[operator_index];
  if (items(op.inputs()).size() > kMaxInputs || items(op.outputs()).size() != 1) return 0;
  std::vector<TensorSpec> inputs, outputs;
  for (const int32_t tensor : items(op.inputs())) inputs.push_back(spec_of(plan, tensor));
  for (const int32_t tensor : items(op.outputs())) outputs.push_back(spec_of(plan, tensor));
  return divisible_channels(OperatorSpec{&op, inputs, outputs});
}

uint32_t divisible_channels(const plan::Plan& plan, const plan::Branch& branch) {
  const auto& operators = items(branch.operators());
  return operators.size() == 1 ? divisible_channels(plan, operators[0]) : 0;
}

bool is_part(uint32_t channels, ChannelRange part) {
  const bool ends_whole = part.end % kChannelBlock == 0 || part.end == channels;
  return part.begin < part.end && part.end <= channels && part.begin % kChannelBlock == 0 && ends_whole;
}

int channel_axis(const plan::Operator& op, size_t input) {
  const plan::Conv* const conv = op.attributes_as_Conv();
  if (conv == nullptr) return 1;
  if (input == 0 && conv->group() == 1) return kUncut;
  return input == kWeights || input == kBias ? 0 : 1;
}

int64_t bytes_of_channels(const TensorSpec& operand, int axis, uint32_t channels) {
  Shape shape = operand.shape;
  shape[axis] = channels;
  if (operand.packing != plan::Packing::none) return *packed_size_bytes(operand.packing, shape);
  return storage_bytes(operand.type, shape, operand.layout);
}

}  // namespace nestrt
