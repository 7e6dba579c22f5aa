#include "compiler-lite/yaml/reader.h"

namespace nestrt::compiler::yaml {

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

}  // namespace nestrt::compiler::yaml
