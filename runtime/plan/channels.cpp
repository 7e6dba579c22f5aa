#include "runtime/plan/channels.h"

#include <limits>
#include <vector>

#include "nestrt/packing.h"
#include "nestrt/services.h"
#include "runtime/plan/tensor_spec.h"

namespace nestrt {
namespace {

constexpr size_t kMaxInputs = 4;

const Division* division_of(ops::Kind kind) {
  const OperatorRules* const rules = services().operators.find(kind);
  return rules == nullptr ? nullptr : &rules->division.get();
}

bool is_divisible(const OperatorSpec& spec) {
  if (spec.inputs.empty() || spec.inputs.size() > kMaxInputs || spec.outputs.size() != 1) return false;
  const Division* const division = division_of(spec.kind());
  return division != nullptr && division->divides != nullptr && division->divides(spec);
}

}  // namespace

uint32_t divisible_channels(const OperatorSpec& spec) {
  if (!is_divisible(spec)) return 0;
  const int64_t channels = spec.outputs[0].shape[1];
  const bool several = channels > int64_t{kChannelBlock} && channels <= std::numeric_limits<int32_t>::max();
  return several ? static_cast<uint32_t>(channels) : 0;
}

uint32_t divisible_channels(const plan::Tables& plan, uint32_t operator_index) {
  const plan::Operator& op = plan.operators[operator_index];
  if (op.inputs.size() > kMaxInputs || op.outputs.size() != 1) return 0;
  std::vector<TensorSpec> inputs, outputs;
  for (const int32_t tensor : op.inputs) inputs.push_back(tensor_spec(plan, tensor));
  for (const int32_t tensor : op.outputs) outputs.push_back(tensor_spec(plan, tensor));
  return divisible_channels(OperatorSpec{&op.attributes, inputs, outputs});
}

uint32_t divisible_channels(const plan::Tables& plan, const plan::Branch& branch) {
  const auto& operators = branch.operators;
  return operators.size() == 1 ? divisible_channels(plan, operators[0]) : 0;
}

bool is_part(uint32_t channels, ChannelRange part) {
  const bool ends_whole = part.end % kChannelBlock == 0 || part.end == channels;
  return part.begin < part.end && part.end <= channels && part.begin % kChannelBlock == 0 && ends_whole;
}

int channel_axis(const ops::Attributes& attributes, size_t input) {
  return division_of(ops::kind_of(attributes))->cut_axis(attributes, input);
}

int64_t bytes_of_channels(const TensorSpec& operand, int axis, uint32_t channels) {
  Shape shape = operand.shape;
  shape[axis] = channels;
  if (operand.packing != Packing::kNone) return *packed_size_bytes(operand.packing, shape);
  return storage_bytes(operand.type, shape, operand.layout);
}

}  // namespace nestrt
