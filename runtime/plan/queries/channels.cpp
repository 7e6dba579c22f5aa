// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/channels.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/core/services.h"
#include "runtime/kernel/packing.h"
#include "runtime/plan/queries/tensor_spec.h"

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

// An operator of a plan with its operands.
class PlanOperands {
 public:
  PlanOperands(const plan::Tables& plan, const plan::Operator& op) : op_(op) {
    for (const int32_t tensor : op.inputs) inputs_.push_back(tensor_spec(plan, tensor));
    for (const int32_t tensor : op.outputs) outputs_.push_back(tensor_spec(plan, tensor));
  }
  OperatorSpec spec() const { return {&op_.attributes, inputs_, outputs_}; }

 private:
  const plan::Operator& op_;
  std::vector<TensorSpec> inputs_, outputs_;
};

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
  const PlanOperands operands(plan, op);
  return divisible_channels(operands.spec());
}

uint32_t divisible_channels(const plan::Tables& plan, const plan::Branch& branch) {
  const auto& operators = branch.operators;
  return operators.size() == 1 ? divisible_channels(plan, operators[0]) : 0;
}

uint32_t divisible_rows(const OperatorSpec& spec) {
  const Division& division = *division_of(spec.kind());
  const Shape& output = spec.outputs[0].shape;
  const bool has_rows = division.divides_rows != nullptr && output.rank() == 4 && division.divides_rows(spec);
  return has_rows && output[2] <= std::numeric_limits<int32_t>::max() ? static_cast<uint32_t>(output[2]) : 1;
}

uint32_t divisible_rows(const plan::Tables& plan, const plan::Branch& branch) {
  const PlanOperands operands(plan, plan.operators[branch.operators[0]]);
  return divisible_rows(operands.spec());
}

bool is_part(uint32_t channels, uint32_t rows, ChannelRange part) {
  const bool ends_whole = part.end % kChannelBlock == 0 || part.end == channels;
  const bool has_rows = part.begin_row < rows && part.end_row < rows && (part.end < channels || part.end_row == 0);
  const bool is_empty = part.begin > part.end || (part.begin == part.end && part.begin_row >= part.end_row);
  return part.begin < channels && part.end <= channels && part.begin % kChannelBlock == 0 && ends_whole && has_rows &&
         !is_empty;
}

std::string to_string(ChannelRange part) {
  if (part.has_whole_blocks()) return fmt::format("{}-{}", part.begin, part.end);
  return fmt::format("{}:{}-{}:{}", part.begin, part.begin_row, part.end, part.end_row);
}

double share_of(const Shape& output, ChannelRange part) {
  if (part.all() || output.rank() < 2 || output[1] <= 0) return 1;
  double channels = static_cast<double>(part.end) - part.begin;
  if (output.rank() > 2 && output[2] > 0)
    channels += (static_cast<double>(part.end_row) - part.begin_row) / static_cast<double>(output[2]) * kChannelBlock;
  return std::clamp(channels / static_cast<double>(output[1]), 0.0, 1.0);
}

std::vector<ChannelRows> rectangles_of(uint32_t channels, uint32_t rows, ChannelRange part) {
  if (part.all()) return {{0, channels}};
  std::vector<ChannelRows> result;
  const auto block_end = [&](uint32_t begin) { return std::min(begin + kChannelBlock, channels); };
  const bool is_within = part.begin == part.end;
  uint32_t begin = part.begin;
  if (part.begin_row > 0 || is_within) {
    const uint32_t last_row = is_within ? part.end_row : rows;
    result.push_back({begin, block_end(begin), part.begin_row, last_row});
    begin = block_end(begin);
  }
  if (begin < part.end) result.push_back({begin, part.end});
  if (part.end_row > 0 && !is_within) result.push_back({part.end, block_end(part.end), 0, part.end_row});
  return result;
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
