// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/plan_file.h"

#include <optional>
#include <unordered_map>

#include "compiler-lite/parts/part_names.h"
#include "tools/support/nest_c/nest_c_partition.h"
#include "tools/support/text/files.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::compiler {
namespace {

namespace yaml = tools::yaml;

constexpr uint64_t kMaxPlanBytes = 16 << 20;

// Names and links of a model's operators.
class Names {
 public:
  explicit Names(const Graph& graph) : operators_(model_operators(graph)), links_(operator_links(graph, operators_)) {
    for (uint32_t op = 0; op < operators_.size(); ++op) by_name_[operators_[op].name] = op;
  }

  const std::vector<ModelOperator>& operators() const { return operators_; }
  std::optional<uint32_t> find(std::string_view name) const {
    const auto found = by_name_.find(tools::nest_c_name(name));
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }
  // Returns the operators on all paths from any of `from` to any of `to`.
  std::vector<uint32_t> operators_between(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) const {
    const std::vector<bool> behind = reached(from, links_.feeds), before = reached(to, links_.reads);
    std::vector<uint32_t> result;
    for (uint32_t op = 0; op < operators_.size(); ++op)
      if (behind[op] && before[op]) result.push_back(op);
    return result;
  }

 private:
  static std::vector<bool> reached(std::vector<uint32_t> waiting, const std::vector<std::vector<uint32_t>>& next) {
    std::vector<bool> result(next.size(), false);
    for (const uint32_t op : waiting) result[op] = true;
    while (!waiting.empty()) {
      const uint32_t op = waiting.back();
      waiting.pop_back();
      for (const uint32_t other : next[op]) {
        if (result[other]) continue;
        result[other] = true;
        waiting.push_back(other);
      }
    }
    return result;
  }

  std::vector<ModelOperator> operators_;
  OperatorLinks links_;
  std::unordered_map<std::string, uint32_t> by_name_;
};

Result<uint32_t> find_operator(const Names& names, const YAML::Node& node, std::string_view name) {
  if (const auto found = names.find(name)) return *found;
  return yaml::refuse(node,
                      fmt::format("the model has no operator '{}'; nestc partition MODEL.onnx -o NAMES.yaml writes "
                                  "the operators' names",
                                  name));
}

// Parses a name or a list of names.
Result<std::vector<uint32_t>> operators_in(const Names& names, const YAML::Node& map, const std::string& key) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, yaml::member(map, key));
  std::vector<uint32_t> result;
  if (node.IsScalar()) {
    NESTRT_ASSIGN_OR_RETURN(result.emplace_back(), find_operator(names, node, node.Scalar()));
    return result;
  }
  if (!node.IsSequence()) return yaml::refuse(node, key + ": expected operator names");
  for (const YAML::Node& entry : node) {
    if (!entry.IsScalar()) return yaml::refuse(entry, key + ": expected operator names");
    NESTRT_ASSIGN_OR_RETURN(result.emplace_back(), find_operator(names, entry, entry.Scalar()));
  }
  return result;
}

bool is_all(const YAML::Node& node) { return node.IsScalar() && node.Scalar() == "all"; }

Result<std::vector<uint32_t>> members_in(const Names& names, const YAML::Node& map) {
  const bool lists = map["operators"].IsDefined();
  if (lists == (map["from"].IsDefined() || map["to"].IsDefined()))
    return yaml::refuse(map, "a part has either 'operators', or 'from' and 'to'");
  if (lists && is_all(map["operators"])) {
    std::vector<uint32_t> all(names.operators().size());
    for (uint32_t op = 0; op < all.size(); ++op) all[op] = op;
    return all;
  }
  if (lists) return operators_in(names, map, "operators");
  NESTRT_ASSIGN_OR_RETURN(const std::vector<uint32_t> from, operators_in(names, map, "from"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<uint32_t> to, operators_in(names, map, "to"));
  const std::vector<uint32_t> members = names.operators_between(from, to);
  if (members.empty()) return yaml::refuse(map, "no path leads from 'from' to 'to'");
  return members;
}

Result<PartSpec> part_in(const Names& names, const YAML::Node& map) {
  if (!map.IsMap()) return yaml::refuse(map, "parts: expected {name, backend, operators}");
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(map, {"name", "backend", "operators", "from", "to"}));
  PartSpec part;
  NESTRT_ASSIGN_OR_RETURN(part.name, yaml::member_text(map, "name"));
  if (!is_part_name(part.name)) return yaml::refuse(map, fmt::format("'{}': {}", part.name, kPartNameRule));
  if (map["backend"].IsDefined()) {
    NESTRT_ASSIGN_OR_RETURN(part.backend, yaml::member_text(map, "backend"));
  }
  NESTRT_ASSIGN_OR_RETURN(part.operators, members_in(names, map));
  return part;
}

Result<std::vector<PartSpec>> own_parts(const Names& names, const YAML::Node& root) {
  NESTRT_RETURN_IF_ERROR(yaml::check_keys(root, {"parts"}));
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node list, yaml::member(root, "parts"));
  if (!list.IsSequence() || list.size() == 0) return yaml::refuse(list, "parts: expected a list of parts");
  std::vector<PartSpec> parts;
  for (const YAML::Node& node : list) {
    NESTRT_ASSIGN_OR_RETURN(parts.emplace_back(), part_in(names, node));
  }
  return parts;
}

Result<std::vector<PartSpec>> nest_c_parts(const Names& names, const tools::NestCPartitionPlan& plan) {
  std::vector<PartSpec> parts;
  for (const tools::NestCPartition& partition : plan.partitions) {
    if (!is_part_name(partition.name))
      return Status(Code::kInvalidArgument, fmt::format("'{}': {}", partition.name, kPartNameRule));
    parts.push_back({partition.name, partition.backend, {}});
  }
  std::vector<bool> placed(names.operators().size(), false);
  for (const auto& [name, partition] : plan.nodes) {
    const auto op = names.find(name);
    if (!op) return Status(Code::kInvalidArgument, fmt::format("the model has no operator '{}'", name));
    placed[*op] = true;
    parts[partition].operators.push_back(*op);
  }
  for (uint32_t op = 0; op < placed.size(); ++op) {
    if (placed[op]) continue;
    return Status(Code::kInvalidArgument,
                  fmt::format("nodeToPartition does not place '{}'; a NEST-C plan must place every operator of the "
                              "model (nestc partition MODEL.onnx -o PLAN.yaml writes one)",
                              names.operators()[op].name));
  }
  return parts;
}

}  // namespace

Result<std::vector<PartSpec>> parse_part_plan(const std::string& text, std::string_view name, const Graph& graph) {
  const Names names(graph);
  bool is_nest_c = false;
  auto own =
      yaml::parse<std::vector<PartSpec>>(text, name, [&](const YAML::Node& root) -> Result<std::vector<PartSpec>> {
        if (!root.IsMap()) return yaml::refuse(root, "expected {parts: [...]}, or a NEST-C partition plan");
        is_nest_c = root["funcName"].IsDefined();
        return is_nest_c ? std::vector<PartSpec>() : own_parts(names, root);
      });
  if (!own || !is_nest_c) return own;
  NESTRT_ASSIGN_OR_RETURN(const tools::NestCPartitionPlan plan, tools::parse_nest_c_partition(text, name));
  auto parts = nest_c_parts(names, plan);
  if (!parts) return parts.error().with_context(fmt::format("'{}'", name));
  return parts;
}

Result<std::vector<PartSpec>> read_part_plan(const std::string& path, const Graph& graph) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, tools::read_file(path, kMaxPlanBytes));
  return parse_part_plan({reinterpret_cast<const char*>(content.data()), content.size()}, path, graph);
}

}  // namespace nestrt::compiler
