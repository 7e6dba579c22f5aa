// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/yaml_reader.h"

#include "tools/support/text/printable.h"

namespace nestrt::tools::yaml {

bool is_joined(const YAML::Node& node) { return node.IsScalar() && node.Tag() == "!"; }

std::vector<std::string_view> split_joined(std::string_view scalar) {
  std::vector<std::string_view> result;
  const auto strip = [](std::string_view text) {
    const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    return first == std::string_view::npos ? std::string_view() : text.substr(first, last + 1 - first);
  };
  for (scalar = strip(scalar); !scalar.empty();) {
    const size_t end = scalar.find(',');
    result.push_back(strip(scalar.substr(0, end)));
    // Accepts a trailing comma.
    scalar = end == std::string_view::npos ? std::string_view() : strip(scalar.substr(end + 1));
  }
  return result;
}

Status refuse(const YAML::Node& node, std::string_view what) {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return Status(Code::kInvalidArgument, std::string(what));
  return Status(Code::kInvalidArgument, fmt::format("line {}: {}", mark.line + 1, what));
}

Status check_writable_text(std::string_view text, std::string_view what) {
  if (is_utf8(text)) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{}, '{}', is not UTF-8 and cannot be stored in a YAML file; rename it in the model", what,
                            printable(text)));
}

Result<YAML::Node> member(const YAML::Node& map, const std::string& key) {
  if (!map.IsMap()) return refuse(map, "expected a map with '" + key + "'");
  YAML::Node result = map[key];
  if (!result.IsDefined()) return refuse(map, "'" + key + "' is missing");
  return result;
}

Result<std::string> member_text(const YAML::Node& map, const std::string& key) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, member(map, key));
  if (!node.IsScalar()) return refuse(node, key + ": expected text");
  // yaml-cpp replaces invalid UTF-8, which could make two names equal.
  if (!is_utf8(node.Scalar())) return refuse(node, key + ": expected UTF-8 text");
  return node.Scalar();
}

Result<std::string> member_text(const YAML::Node& map, const std::string& key, size_t max_bytes) {
  NESTRT_ASSIGN_OR_RETURN(std::string text, member_text(map, key));
  if (text.size() > max_bytes)
    return refuse(map[key], fmt::format("{}: expected text of at most {} bytes, got {}", key, max_bytes, text.size()));
  return text;
}

Status check_keys(const YAML::Node& map, const std::set<std::string>& known) {
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "a list or map as a key";
    if (known.count(key) == 0) return refuse(entry.first, "'" + key + "' is not a known key");
    if (!seen.insert(key).second) return refuse(entry.first, "'" + key + "' is listed twice");
  }
  return {};
}

}  // namespace nestrt::tools::yaml
