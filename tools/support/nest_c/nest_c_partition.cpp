// SPDX-License-Identifier: Apache-2.0
#include "tools/support/nest_c/nest_c_partition.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "runtime/text/parse.h"
#include "tools/support/text/files.h"
#include "tools/support/text/yaml_reader.h"

namespace nestrt::tools {
namespace {

constexpr uint64_t kMaxPartitionBytes = 16 << 20;
constexpr uint32_t kMaxPartitions = 1 << 20;

// A list in one text, and its position.
struct List {
  YAML::Node node;
  std::vector<std::string> items;
};

class Reader {
 public:
  explicit Reader(const YAML::Node& root) : root_(root) {}

  Result<NestCPartitionPlan> read() {
    if (!root_.IsMap()) return yaml::refuse(root_, "expected a NEST-C partition plan: {funcName, ...}");
    NESTRT_RETURN_IF_ERROR(yaml::check_keys(root_, {"funcName", "numOfPartitions", "backendNames", "partitionNames",
                                                    "nodeToPartition", "logicalIDs", "parallelPartitions"}));
    NESTRT_ASSIGN_OR_RETURN(plan_.function, yaml::member_text(root_, "funcName"));
    NESTRT_ASSIGN_OR_RETURN(const auto count, yaml::member_number(root_, "numOfPartitions", 1U, kMaxPartitions));
    plan_.partitions.resize(count);
    NESTRT_RETURN_IF_ERROR(read_partitions());
    NESTRT_RETURN_IF_ERROR(read_nodes());
    NESTRT_RETURN_IF_ERROR(read_groups());
    return std::move(plan_);
  }

 private:
  // Returns one item per partition; empty items are errors.
  Result<List> list(const std::string& key) const {
    NESTRT_ASSIGN_OR_RETURN(const std::string text, yaml::member_text(root_, key));
    const auto parts = split(text, ":");
    List list{root_[key], {parts.begin(), parts.end()}};
    if (list.items.size() != plan_.partitions.size())
      return yaml::refuse(list.node, fmt::format("{} has {} items, but numOfPartitions is {}", key, list.items.size(),
                                                 plan_.partitions.size()));
    if (std::count(list.items.begin(), list.items.end(), "") > 0)
      return yaml::refuse(list.node, key + ": expected a name on both sides of each ':'");
    return list;
  }

  Status read_partitions() {
    NESTRT_ASSIGN_OR_RETURN(const List names, list("partitionNames"));
    NESTRT_ASSIGN_OR_RETURN(const List backends, list("backendNames"));
    NESTRT_ASSIGN_OR_RETURN(const List ids, list("logicalIDs"));
    for (uint32_t i = 0; i < plan_.partitions.size(); ++i) {
      if (!position_of_.emplace(names.items[i], i).second)
        return yaml::refuse(names.node, fmt::format("partitionNames: '{}' is listed twice", names.items[i]));
      NESTRT_ASSIGN_OR_RETURN(const uint32_t id, yaml::number_in(ids.node, ids.items[i], "logicalIDs", 0U, UINT32_MAX));
      plan_.partitions[i] = {names.items[i], backends.items[i], id};
    }
    return {};
  }

  Status read_nodes() {
    NESTRT_ASSIGN_OR_RETURN(const std::string text, yaml::member_text(root_, "nodeToPartition"));
    const YAML::Node node = root_["nodeToPartition"];
    for (const std::string_view item : split(text, ":")) {
      const size_t dash = item.rfind('-');
      if (dash == std::string_view::npos || dash == 0)
        return yaml::refuse(node,
                            fmt::format("nodeToPartition: expected NODE-PARTITION, such as conv1-0, got '{}'", item));
      const auto last = static_cast<uint32_t>(plan_.partitions.size() - 1);
      NESTRT_ASSIGN_OR_RETURN(
          const uint32_t partition,
          yaml::number_in(node, item.substr(dash + 1), fmt::format("nodeToPartition: '{}'", item), 0U, last));
      plan_.nodes.emplace_back(item.substr(0, dash), partition);
    }
    return {};
  }

  Status read_groups() {
    const YAML::Node node = root_["parallelPartitions"];
    if (!node.IsDefined() || node.IsNull()) return {};
    NESTRT_ASSIGN_OR_RETURN(const std::string text, yaml::member_text(root_, "parallelPartitions"));
    if (text.empty()) return {};
    for (const std::string_view group : split(text, ":")) NESTRT_RETURN_IF_ERROR(read_group(node, group));
    return {};
  }

  Status read_group(const YAML::Node& node, std::string_view text) {
    const auto refuse = [&](const std::string& why) {
      return yaml::refuse(node, fmt::format("parallelPartitions: '{}': {}", text, why));
    };
    const bool is_enclosed = text.size() > 2 && text.front() == '(' && text.back() == ')';
    const auto names = split(is_enclosed ? text.substr(1, text.size() - 2) : std::string_view(), "||");
    if (names.size() < 2) return refuse("expected two partitions or more, such as (p5||p6)");
    std::vector<uint32_t>& group = plan_.groups.emplace_back();
    for (const std::string_view name : names) {
      const auto found = position_of_.find(name);
      if (found == position_of_.end()) return refuse(fmt::format("partitionNames does not contain '{}'", name));
      group.push_back(found->second);
      if (!grouped_.insert(found->second).second) return refuse(fmt::format("'{}' is listed twice", name));
    }
    return {};
  }

  const YAML::Node& root_;
  NestCPartitionPlan plan_;
  std::map<std::string, uint32_t, std::less<>> position_of_;  // by partition name
  std::set<uint32_t> grouped_;
};

template <typename Range, typename Name>
std::string joined(const Range& range, std::string_view separator, const Name& name) {
  std::string result;
  for (const auto& element : range) {
    if (!result.empty()) result += separator;
    result += name(element);
  }
  return result;
}

}  // namespace

std::string NestCPartitionPlan::to_yaml() const {
  const auto of_all = [&](const auto& text) { return joined(partitions, ":", text); };
  const auto group = [&](const std::vector<uint32_t>& members) {
    return fmt::format("({})", joined(members, "||", [&](uint32_t member) { return partitions[member].name; }));
  };
  return fmt::format(
      "---\nfuncName: '{}'\nnumOfPartitions: {}\nbackendNames: '{}'\npartitionNames: '{}'\nnodeToPartition: '{}'\n"
      "logicalIDs: '{}'\nparallelPartitions: '{}'\n...\n",
      function, partitions.size(), of_all([](const auto& partition) { return partition.backend; }),
      of_all([](const auto& partition) { return partition.name; }),
      joined(nodes, ":", [](const auto& node) { return fmt::format("{}-{}", node.first, node.second); }),
      of_all([](const auto& partition) { return std::to_string(partition.logical_id); }), joined(groups, ":", group));
}

Result<NestCPartitionPlan> parse_nest_c_partition(const std::string& text, std::string_view name) {
  return yaml::parse<NestCPartitionPlan>(text, name, [](const YAML::Node& root) { return Reader(root).read(); });
}

Result<NestCPartitionPlan> read_nest_c_partition(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> content, read_file(path, kMaxPartitionBytes));
  return parse_nest_c_partition({reinterpret_cast<const char*>(content.data()), content.size()}, path);
}

std::string nest_c_name(std::string_view name) {
  std::string result(name);
  for (char& c : result)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.' && c != '/') c = '_';
  return result;
}

std::vector<std::string> nest_c_names(const std::vector<std::string>& operators) {
  std::set<std::string> used;
  std::vector<std::string> names;
  for (const std::string& op : operators) {
    std::string& name = names.emplace_back(nest_c_name(op));
    while (name.empty() || !used.insert(name).second) name += fmt::format("_{}", names.size() - 1);
  }
  return names;
}

std::vector<std::string> nest_c_node_names(const plan::Tables& plan) {
  std::vector<std::string> names;
  for (const plan::Operator& op : plan.operators) names.push_back(op.name);
  return nest_c_names(names);
}

std::string nest_c_backend(std::string_view kind, uint32_t instance) {
  if (kind == "cpu") return "CPU";
  return fmt::format("{}-{}", kind == "evta" ? "VTA" : nest_c_name(kind), instance);
}

}  // namespace nestrt::tools
