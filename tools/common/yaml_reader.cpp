#include "tools/common/yaml_reader.h"

#include <algorithm>
#include <cctype>

#include "runtime/core/budget.h"
#include "tools/common/printable.h"

namespace nestrt::tools::yaml {
namespace {

// A node takes up to 500 bytes: 20 times those of a text with so many of them.
constexpr size_t kBytesPerNode = 25;
constexpr size_t kNodesOfAnyText = 400'000;

constexpr std::string_view kNumberCharacters = "0123456789+-.eE, \t\r\n";

// Past the quoted text or the comment that starts at `at`; `at` where none does.
size_t skip_quoted(std::string_view text, size_t at) {
  const char quote = text[at];
  const bool starts = at == 0 || std::string_view(" \t\n[{,").find(text[at - 1]) != std::string_view::npos;
  if (!starts || (quote != '"' && quote != '\'' && quote != '#')) return at;
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == (quote == '#' ? '\n' : quote)) {
      return i + 1;
    }
  }
  return text.size();
}

// A scalar that is not quoted cannot start with it.
bool starts_alias(std::string_view text, size_t at) {
  const bool is_first = at == 0 || std::string_view(" \t\n[{,").find(text[at - 1]) != std::string_view::npos;
  return is_first && text[at] == '*' && at + 1 < text.size() && std::isalnum(static_cast<unsigned char>(text[at + 1]));
}

// Whether what stands before `at` is a key's colon.
bool is_value(std::string_view text, size_t at) {
  const size_t before = text.find_last_not_of(' ', at == 0 ? 0 : at - 1);
  return before != std::string_view::npos && before + 1 < at && text[before] == ':';
}

}  // namespace

std::string join_number_lists(std::string text) {
  for (size_t at = 0; at < text.size();) {
    if (const size_t next = skip_quoted(text, at); next != at) {
      at = next;
      continue;
    }
    if (text[at] == '[' && is_value(text, at)) {
      const size_t end = text.find_first_not_of(kNumberCharacters, at + 1);
      // Of one number it might pass for that number.
      const bool joined = end != std::string::npos && text[end] == ']' && text.find(',', at) < end;
      if (joined) text[at] = text[end] = '"', at = end;
    }
    ++at;
  }
  return text;
}

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
    // A comma may follow the last, too.
    scalar = end == std::string_view::npos ? std::string_view() : strip(scalar.substr(end + 1));
  }
  return result;
}

Status check_nodes(std::string_view text) {
  Budget nodes(kNodesOfAnyText + text.size() / kBytesPerNode);
  for (size_t at = 0; at < text.size();) {
    const size_t next = skip_quoted(text, at);
    if (starts_alias(text, at))
      return Status(Code::kInvalidArgument,
                    "has an alias ('*...'), by which a short file becomes a long one: write it out");
    const bool is_item = text[at] == '-' && at + 1 < text.size() && text[at + 1] == ' ';
    const bool is_node = next != at || is_item || std::string_view(",:[{\n").find(text[at]) != std::string_view::npos;
    if (is_node && !nodes.charge(1))
      return Status(Code::kInvalidArgument,
                    fmt::format("has more than {} entries, what a file of {} bytes may have; it is none of those that "
                                "nestrt's commands read",
                                nodes.limit(), text.size()));
    at = std::max(next, at + 1);
  }
  return {};
}

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
  // yaml-cpp would write other characters in their place, so two names could become one.
  if (!is_utf8(node.Scalar())) return refuse(node, key + ": expected a text in UTF-8");
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
