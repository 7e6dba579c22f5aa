#include "tools/common/yaml_reader.h"

namespace nestrt::tools::yaml {

Status refuse(const YAML::Node& node, std::string_view what) {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return Status(Code::kInvalidArgument, std::string(what));
  return Status(Code::kInvalidArgument, fmt::format("line {}: {}", mark.line + 1, what));
}

Result<YAML::Node> member(const YAML::Node& map, const std::string& key) {
  if (!map.IsMap()) return refuse(map, "expected a map with '" + key + "'");
  YAML::Node result = map[key];
  if (!result.IsDefined()) return refuse(map, "'" + key + "' is missing");
  return result;
}

Result<std::string> member_text(const YAML::Node& map, const std::string& key) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, member(map, key));
  if (!node.IsScalar()) return refuse(node, key + ": expected a text");
  return node.Scalar();
}

Status check_keys(const YAML::Node& map, const std::set<std::string>& known) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "a list or map as a key";
    if (known.count(key) == 0) return refuse(entry.first, "'" + key + "' means nothing here");
    if (!seen.insert(key).second) return refuse(entry.first, "'" + key + "' is there twice");
  }
  return {};
}

}  // namespace nestrt::tools::yaml
