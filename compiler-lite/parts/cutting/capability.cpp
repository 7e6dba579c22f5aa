// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/capability.h"

#include <limits>

#include "compiler-lite/export/export_profile.h"
#include "compiler-lite/parts/type_names.h"
#include "tools/support/text/files.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::compiler {
namespace {

namespace yaml = tools::yaml;

constexpr uint64_t kMaxCapabilityBytes = 4 << 20;
constexpr double kLargest = 1e30;
constexpr uint64_t kMaxBytes = uint64_t{1} << 50;

Result<std::vector<std::string>> texts_in(const YAML::Node& node, const std::string& what) {
  std::vector<std::string> texts;
  if (yaml::is_joined(node)) {  // numbers
    for (const std::string_view text : yaml::split_joined(node.Scalar())) texts.emplace_back(text);
    return texts;
  }
  if (!node.IsSequence()) return yaml::refuse(node, what + ": expected a list");
  for (const YAML::Node& entry : node) {
    if (!entry.IsScalar()) return yaml::refuse(entry, what + ": expected names or numbers");
    texts.push_back(entry.Scalar());
  }
  return texts;
}

Result<std::vector<DataType>> types_in(const YAML::Node& map) {
  std::vector<DataType> types;
  if (!map["types"].IsDefined()) return types;
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::string> texts, texts_in(map["types"], "types"));
  for (const std::string& text : texts) {
    const auto type = type_called(text);
    if (!type) return yaml::refuse(map["types"], fmt::format("types: '{}' is not a type", text));
    types.push_back(*type);
  }
  return types;
}

Result<AttributeLimit> limit_in(const YAML::Node& node) {
  if (!node.IsMap()) return yaml::refuse(node, "expected {min, max} or {values}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(node, {"min", "max", "values"}));
  AttributeLimit limit;
  if (node["min"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(limit.min, yaml::member_number(node, "min", -kLargest, kLargest));
  }
  if (node["max"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(limit.max, yaml::member_number(node, "max", -kLargest, kLargest));
  }
  if (node["values"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(limit.values, texts_in(node["values"], "values"));
  }
  return limit;
}

Result<OperatorCapability> operator_in(const YAML::Node& node) {
  OperatorCapability capability;
  if (node.IsNull()) return capability;
  if (!node.IsMap()) return yaml::refuse(node, "expected {types, attributes}, or nothing");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(node, {"types", "attributes"}));
  NESTRT_ASSIGN_OR_RETURN(capability.types, types_in(node));
  const YAML::Node attributes = node["attributes"];
  if (!attributes.IsDefined()) return capability;
  if (!attributes.IsMap()) return yaml::refuse(attributes, "attributes: expected limits by name");
  for (const auto& entry : attributes) {
    NESTRT_ASSIGN_OR_RETURN(capability.attributes[entry.first.Scalar()], limit_in(entry.second));
  }
  return capability;
}

Status read_memory(const YAML::Node& node, Capability& capability) {
  if (!node.IsDefined()) return {};
  if (!node.IsMap()) return yaml::refuse(node, "memory: expected {weights, tensor}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(node, {"weights", "tensor"}));
  if (node["weights"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(capability.weight_bytes, yaml::member_number<uint64_t>(node, "weights", 0, kMaxBytes));
  }
  if (node["tensor"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(capability.tensor_bytes, yaml::member_number<uint64_t>(node, "tensor", 0, kMaxBytes));
  }
  return {};
}

Status read_region(const YAML::Node& node, Capability& capability) {
  if (!node.IsDefined()) return {};
  if (!node.IsMap()) return yaml::refuse(node, "region: expected {min_operators, min_macs}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(node, {"min_operators", "min_macs"}));
  if (node["min_operators"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(capability.min_operators,
                            yaml::member_number<uint32_t>(node, "min_operators", 1, UINT32_MAX));
  }
  if (node["min_macs"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(capability.min_macs, yaml::member_number<uint64_t>(node, "min_macs", 0, kMaxBytes));
  }
  return {};
}

Result<std::optional<OffloadCost>> cost_in(const YAML::Node& node) {
  if (!node.IsDefined()) return std::optional<OffloadCost>();
  if (!node.IsMap()) return yaml::refuse(node, "cost: expected {macs_per_us, host_macs_per_us, ...}");
  NESTRT_RETURN_IF_ERROR(
      yaml::check_keys(node, {"macs_per_us", "host_macs_per_us", "transfer_bytes_per_us", "launch_us"}));
  constexpr double kLeast = 1e-9;
  OffloadCost cost;
  NESTRT_ASSIGN_OR_RETURN(cost.macs_per_us, yaml::member_number(node, "macs_per_us", kLeast, kLargest));
  NESTRT_ASSIGN_OR_RETURN(cost.host_macs_per_us, yaml::member_number(node, "host_macs_per_us", kLeast, kLargest));
  NESTRT_ASSIGN_OR_RETURN(cost.transfer_bytes_per_us,
                          yaml::member_number(node, "transfer_bytes_per_us", kLeast, kLargest));
  NESTRT_ASSIGN_OR_RETURN(cost.launch_us, yaml::member_number(node, "launch_us", 0.0, kLargest));
  return std::optional(cost);
}

Result<Capability> capability_of(const YAML::Node& root) {
  if (!root.IsMap()) return yaml::refuse(root, "expected a capability file: {name, types, operators, ...}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(root, {"name", "types", "operators", "memory", "region", "cost", "export"}));
  Capability capability;
  NESTRT_ASSIGN_OR_RETURN(capability.name, yaml::member_text(root, "name"));
  NESTRT_ASSIGN_OR_RETURN(capability.types, types_in(root));
  if (capability.types.empty()) capability.types = {DataType::kF32};
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node operators, yaml::member(root, "operators"));
  if (!operators.IsMap()) return yaml::refuse(operators, "operators: expected supported operators by ONNX name");
  for (const auto& entry : operators) {
    auto op = operator_in(entry.second);
    if (!op) return op.error().with_context(entry.first.Scalar());
    capability.operators[entry.first.Scalar()] = std::move(*op);
  }
  NESTRT_RETURN_IF_ERROR(read_memory(root["memory"], capability));
  NESTRT_RETURN_IF_ERROR(read_region(root["region"], capability));
  NESTRT_ASSIGN_OR_RETURN(capability.cost, cost_in(root["cost"]));
  if (root["export"].IsDefined()) NESTRT_RETURN_IF_ERROR(read_export_keys(root["export"], capability.form));
  return capability;
}

}  // namespace

Result<Capability> parse_capability(const std::string& text, std::string_view name) {
  return yaml::parse<Capability>(text, name, capability_of);
}

Result<Capability> read_capability(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(path, kMaxCapabilityBytes));
  return parse_capability({reinterpret_cast<const char*>(content.data()), content.size()}, path);
}

}  // namespace nestrt::compiler
