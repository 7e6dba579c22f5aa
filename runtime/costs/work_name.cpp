#include "nestrt/costs.h"
#include "nestrt/plan_generated.h"
#include "runtime/core/text.h"
#include "runtime/costs/attribute_text.h"
#include "runtime/plan/sharing.h"
#include "runtime/plan/tables.h"

namespace nestrt {
namespace {

// How numbers are scaled, which decides the kernel; not by how much.
std::string quantization_text(const plan::Quantization* quantization) {
  if (quantization == nullptr) return {};
  const auto form = [&](std::string_view what, flatbuffers::uoffset_t count) {
    if (count == 0) return std::string();
    return count == 1 ? text(" ", what) : text(" ", what, " by axis ", quantization->axis());
  };
  return form("exponent", items(quantization->exponents()).size()) +
         form("scale", items(quantization->scales()).size()) +
         form("zero point", items(quantization->zero_points()).size());
}

std::string operand_text(const plan::Plan& tables, const plan::Operator& op, int32_t index) {
  if (index < 0) return "absent";
  const plan::Tensor& tensor = *items(tables.tensors())[static_cast<uint32_t>(index)];
  std::string result = text(name(static_cast<DataType>(tensor.type())), " ", shape_of(tensor).to_string());
  if (tensor.layout() != plan::Layout::plain) result += text(" ", name(static_cast<Layout>(tensor.layout())));
  if (tensor.packing() != plan::Packing::none) result += text(" ", plan::EnumNamePacking(tensor.packing()));
  result += quantization_text(tensor.quantization());
  if (items(tables.buffers())[tensor.buffer()]->kind() == plan::BufferKind::constant) result += " constant";
  // Parts of a concatenation that lie in its output need no copying.
  const auto& outputs = items(op.outputs());
  if (op.attributes_type() == plan::Attributes::Concat && outputs.size() == 1 && index != outputs[0] &&
      items(tables.tensors())[static_cast<uint32_t>(outputs[0])]->buffer() == tensor.buffer())
    result += " in place";
  return result;
}

std::string operands_text(const plan::Plan& tables, const plan::Operator& op,
                          const flatbuffers::Vector<int32_t>& list) {
  std::string result;
  for (int32_t tensor : list) {
    if (!result.empty()) result += ", ";
    result += operand_text(tables, op, tensor);
  }
  return result;
}

}  // namespace

std::string work_name(const Plan& plan, uint32_t operator_index, ChannelRange channels) {
  const plan::Plan& tables = plan.tables();
  const plan::Operator& op = *items(tables.operators())[operator_index];
  std::string result =
      text(plan::EnumNameAttributes(op.attributes_type()), attribute_text(op), ": ",
           operands_text(tables, op, items(op.inputs())), " -> ", operands_text(tables, op, items(op.outputs())));
  if (is_view(tables, op)) result += " (view)";
  if (!channels.all()) result += text(" channels ", channels.begin, "-", channels.end);
  return result;
}

std::string branch_work_name(const Plan& plan, uint32_t branch, ChannelRange channels) {
  std::string result;
  for (uint32_t op : items(items(plan.tables().branches())[branch]->operators())) {
    if (!result.empty()) result += "; ";
    result += work_name(plan, op, channels);
  }
  return result;
}

}  // namespace nestrt
