// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/plan_tables.h"
#include "runtime/core/function_ref.h"
#include "runtime/costs/attribute_text.h"
#include "runtime/costs/stated_cost.h"
#include "runtime/kernel/packing.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/queries/kernel_selection.h"
#include "runtime/plan/queries/views.h"

namespace nestrt {
namespace {

// Returns the form of quantization, which determines the kernel, without its values.
std::string quantization_text(const std::optional<plan::Quantization>& quantization) {
  if (!quantization) return {};
  const auto form = [&](std::string_view what, size_t count) {
    if (count == 0) return std::string();
    return count == 1 ? fmt::format(" {}", what) : fmt::format(" {} by axis {}", what, quantization->axis);
  };
  return form("exponent", quantization->exponents.size()) + form("scale", quantization->scales.size()) +
         form("zero point", quantization->zero_points.size());
}

std::string operand_text(const plan::Tables& tables, const plan::Operator& op, int32_t index, Packing packing) {
  if (index < 0) return "absent";
  const plan::Tensor& tensor = tables.tensors[static_cast<uint32_t>(index)];
  std::string result = fmt::format("{} {}", name(tensor.type), tensor.shape.to_string());
  if (tensor.layout != Layout::kPlain) result += fmt::format(" {}", name(tensor.layout));
  if (packing != Packing::kNone) result += fmt::format(" {}", name(packing));
  result += quantization_text(tensor.quantization);
  if (tables.buffers[tensor.buffer].kind == plan::BufferKind::kConstant) result += " constant";
  // Concatenation inputs that are already in place need no copying.
  const auto& outputs = op.outputs;
  if (op.kind() == ops::Kind::kConcat && outputs.size() == 1 && index != outputs[0] &&
      tables.tensors[static_cast<uint32_t>(outputs[0])].buffer == tensor.buffer)
    result += " in place";
  return result;
}

void add_operand(std::string& text, const std::string& operand) { text += (text.empty() ? "" : ", ") + operand; }

using PackingOf = FunctionRef<Packing(size_t input)>;

std::string operator_text(const plan::Tables& tables, uint32_t index, ChannelRange channels, PackingOf packing) {
  const plan::Operator& op = tables.operators[index];
  std::string inputs, outputs;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    add_operand(inputs, operand_text(tables, op, op.inputs[i], op.inputs[i] < 0 ? Packing::kNone : packing(i)));
  for (const int32_t output : op.outputs) add_operand(outputs, operand_text(tables, op, output, Packing::kNone));
  std::string result =
      fmt::format("{}{}: {} -> {}", ops::name(op.kind()), attribute_text(op.attributes), inputs, outputs);
  if (is_view(tables, op)) result += " (view)";
  if (!channels.all()) result += " channels " + to_string(channels);
  return result;
}

// Exponents determine the instructions of a program. Its length and its cost in the plan distinguish programs with
// different times.
std::string code_text(const plan::Tables& tables, const plan::Program& program) {
  const uint64_t bytes = program.segments.empty() ? 0 : tables.buffers[program.segments[0]].size;
  const plan::Cost* const stated = stated_cost(program);
  return fmt::format("; program of {} bytes", bytes) +
         (stated != nullptr ? fmt::format(", {} us", stated->microseconds) : "");
}

// Returns the range moved to the first channel, because programs for the same number of whole blocks do the same work.
ChannelRange from_first(ChannelRange part) {
  return part.has_whole_blocks() ? ChannelRange{0, part.end - part.begin} : part;
}

}  // namespace

std::string work_name(const Plan& plan, uint32_t operator_index, const UnitKey& unit, ChannelRange channels) {
  const plan::Tables& tables = plan.tables();
  return operator_text(tables, operator_index, channels,
                       [&](size_t input) { return packing_for(tables, operator_index, input, unit.configuration); });
}

std::string kernel_work_name(const Plan& plan, uint32_t operator_index, const UnitKey& unit, std::string_view kernel) {
  return fmt::format("{} by {}", work_name(plan, operator_index, unit), kernel);
}

std::string program_work_name(const Plan& plan, uint32_t branch_index, uint32_t program_index) {
  const plan::Branch& branch = plan.tables().branches[branch_index];
  const plan::Program& program = branch.programs[program_index];
  std::string result;
  for (uint32_t op : branch.operators) {
    if (!result.empty()) result += "; ";
    result += operator_text(plan.tables(), op, from_first(program.channels), [](size_t) { return Packing::kNone; });
  }
  return program.kind == plan::ProgramKind::kKernels ? result : result + code_text(plan.tables(), program);
}

}  // namespace nestrt
