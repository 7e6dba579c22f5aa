#include "runtime/plan/channels.h"

#include <limits>
#include <vector>

#include "runtime/plan/packing_size.h"
#include "runtime/plan/tables.h"

namespace nestrt {
namespace {

constexpr size_t kMaxInputs = 4;

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

bool packed_by_outputs(const TensorSpec& weights) {
  switch (weights.packing) {
    case plan::Packing::s8_o16i4:
    case plan::Packing::s8_o16i16:
    case plan::Packing::s8_stem:
      return is_s8(weights) && packed_size_bytes(weights.packing, weights.shape).has_value();
    default:
      return false;
  }
}

bool takes_operands(const OperatorSpec& spec) {
  if (spec.inputs.size() < 2 || spec.inputs.size() > kMaxInputs || spec.outputs.size() != 1) return false;
  const TensorSpec& output = spec.outputs[0];
  if (!is_s8(spec.inputs[0]) || !packed_by_outputs(spec.inputs[1])) return false;
  if (!is_s8(output) || output.layout != Layout::kBlocked16 || output.shape.rank() < 3 || output.shape[0] != 1)
    return false;
  if (spec.inputs[1].shape[0] != output.shape[1]) return false;
  if (spec.has_input(2) && !(spec.inputs[2].type == DataType::kS32 && spec.inputs[2].layout == Layout::kPlain &&
                             spec.inputs[2].shape == Shape{output.shape[1]}))
    return false;
  return !spec.has_input(3) || (is_s8(spec.inputs[3]) && spec.inputs[3].layout == Layout::kBlocked16 &&
                                spec.inputs[3].shape == output.shape);
}

}  // namespace

uint32_t divisible_channels(const OperatorSpec& spec) {
  const plan::Conv* const conv = spec.op->attributes_as_Conv();
  if (conv == nullptr || conv->group() != 1 || conv->wide_output() || !takes_operands(spec)) return 0;
  const int64_t channels = spec.outputs[0].shape[1];
  const bool several = channels > int64_t{kChannelBlock} && channels <= std::numeric_limits<int32_t>::max();
  return several ? static_cast<uint32_t>(channels) : 0;
}

uint32_t divisible_channels(const plan::Plan& plan, uint32_t operator_index) {
  const plan::Operator& op = *items(plan.operators())[operator_index];
  if (op.attributes_type() != plan::Attributes::Conv || items(op.inputs()).size() > kMaxInputs) return 0;
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

int64_t bytes_of_channels(const TensorSpec& operand, int axis, uint32_t channels) {
  Shape shape = operand.shape;
  shape[axis] = channels;
  if (operand.packing != plan::Packing::none) return *packed_size_bytes(operand.packing, shape);
  return storage_bytes(operand.type, shape, operand.layout);
}

}  // namespace nestrt
