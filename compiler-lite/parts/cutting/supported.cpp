// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/supported.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/parts/cutting/offload_cost.h"

namespace nestrt::compiler {
namespace {

std::string refusal_of_number(const std::string& attribute, double number, const AttributeLimit& limit) {
  if (limit.min && number < *limit.min) return fmt::format("{} {} is below {}", attribute, number, *limit.min);
  if (limit.max && number > *limit.max) return fmt::format("{} {} is above {}", attribute, number, *limit.max);
  const auto is_it = [number](const std::string& value) { return value == fmt::format("{}", number); };
  if (limit.values.empty() || std::any_of(limit.values.begin(), limit.values.end(), is_it)) return "";
  return fmt::format("{} {} is not a supported value", attribute, number);
}

std::string refusal_of_attributes(const OnnxForm& form, const OperatorCapability& capability) {
  for (const auto& [attribute, limit] : capability.attributes) {
    if (const auto numbers = form.numbers.find(attribute); numbers != form.numbers.end()) {
      for (const double number : numbers->second)
        if (std::string why = refusal_of_number(attribute, number, limit); !why.empty()) return why;
    }
    const auto text = form.texts.find(attribute);
    const bool known = text == form.texts.end() || limit.values.empty() ||
                       std::find(limit.values.begin(), limit.values.end(), text->second) != limit.values.end();
    if (!known) return fmt::format("{} '{}' is not a supported value", attribute, text->second);
  }
  return "";
}

std::string refusal_of_value(const Value& value, const std::vector<DataType>& types, const Capability& capability) {
  if (std::find(types.begin(), types.end(), value.type) == types.end())
    return fmt::format("'{}' is {}", value.name, name(value.type));
  const uint64_t bytes = plain_bytes(value);
  if (bytes <= capability.tensor_bytes) return "";
  return fmt::format("'{}' occupies {} bytes, more than {}", value.name, bytes, capability.tensor_bytes);
}

}  // namespace

std::string refusal(const Graph& graph, const Node& node, const std::vector<OnnxForm>& forms,
                    const Capability& capability) {
  for (const OnnxForm& form : forms) {
    const auto found = capability.operators.find(form.op_type);
    if (found == capability.operators.end())
      return fmt::format("{} does not support {}", capability.name, form.op_type);
    const auto explain = [&](const std::string& why) { return fmt::format("{}: {}", form.op_type, why); };
    if (const std::string why = refusal_of_attributes(form, found->second); !why.empty()) return explain(why);
    const auto& types = found->second.types.empty() ? capability.types : found->second.types;
    std::vector<ValueId> operands = node.inputs;
    operands.insert(operands.end(), node.outputs.begin(), node.outputs.end());
    for (const ValueId id : operands) {
      if (id == kNoValue) continue;
      if (const std::string why = refusal_of_value(graph.value(id), types, capability); !why.empty())
        return explain(why);
    }
  }
  return "";
}

}  // namespace nestrt::compiler
