// Reading YAML that somebody may have edited: every answer is checked, every refusal names the line.
#pragma once

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nestrt/result.h"
#include "runtime/text/parse.h"
#include "tools/support/text/yaml_text.h"

namespace nestrt::tools::yaml {

// kInvalidArgument: what is wrong, with where in the file.
Status refuse(const YAML::Node& node, std::string_view what);

// Errors: kInvalidArgument where the map has no such key, or another text than UTF-8.
Result<YAML::Node> member(const YAML::Node& map, const std::string& key);
Result<std::string> member_text(const YAML::Node& map, const std::string& key);
// The same where the text has no more bytes than that.
Result<std::string> member_text(const YAML::Node& map, const std::string& key, size_t max_bytes);

// kInvalidArgument where the map has a key that is not among those known, or one twice.
Status check_keys(const YAML::Node& map, const std::set<std::string>& known);

// kInvalidArgument for a text that would be another when it is read again: yaml-cpp writes U+FFFD for what is no UTF-8.
// `what` it is.
Status check_writable_text(std::string_view text, std::string_view what);

// A list of numbers that join_number_lists() has made one scalar, and the numbers in it: a node of its own takes each a
// hundred times the bytes that it has in the file.
bool is_joined(const YAML::Node& node);
std::vector<std::string_view> split_joined(std::string_view scalar);

// A number that fills `text`, which is part of the node, and lies within [low, high].
template <typename T>
Result<T> number_in(const YAML::Node& node, std::string_view text, std::string_view what, T low, T high) {
  const std::optional<T> result = parse_number<T>(text.substr(text.starts_with('+') ? 1 : 0));
  if (!result || !(*result >= low && *result <= high))
    return refuse(node, fmt::format("{}: expected a number from {} to {}, got {}", what, low, high, text));
  return *result;
}
// The same of the whole scalar.
template <typename T>
Result<T> number(const YAML::Node& node, std::string_view what, T low, T high) {
  return number_in(node, node.IsScalar() ? std::string_view(node.Scalar()) : "no number", what, low, high);
}

template <typename T>
Result<T> member_number(const YAML::Node& map, const std::string& key, T low, T high) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, member(map, key));
  return number<T>(node, key, low, high);
}

// The numbers of a list that join_number_lists() has made one scalar. Requires: node.IsScalar().
template <typename T>
Result<std::vector<T>> joined_numbers(const YAML::Node& node, std::string_view what, size_t max_size, T low, T high) {
  std::vector<T> result;
  for (const std::string_view text : split_joined(node.Scalar())) {
    if (result.size() == max_size) return refuse(node, fmt::format("{}: more than {} numbers", what, max_size));
    NESTRT_ASSIGN_OR_RETURN(result.emplace_back(), number_in(node, text, what, low, high));
  }
  return result;
}

template <typename T>
Result<std::vector<T>> numbers(const YAML::Node& node, std::string_view what, size_t max_size, T low, T high) {
  if (is_joined(node)) return joined_numbers(node, what, max_size, low, high);
  if (!node.IsSequence() || node.size() > max_size)
    return refuse(node, fmt::format("{}: expected a list of at most {} numbers", what, max_size));
  std::vector<T> result;
  for (const YAML::Node& element : node) {
    NESTRT_ASSIGN_OR_RETURN(result.emplace_back(), number<T>(element, what, low, high));
  }
  return result;
}

// What `read` makes of the text's root. Errors: its own and those of the syntax, with `name`.
template <typename T, typename Read>
Result<T> parse(const std::string& text, std::string_view name, const Read& read) {
  const std::string context = fmt::format("'{}'", name);
  try {
    if (Status status = check_encoding(text); !status.ok()) return status.with_context(context);
    const JoinedText joined = join_number_lists(text);
    if (Status status = check_nodes(joined); !status.ok()) return status.with_context(context);
    if (Status status = check_aliases(joined.text); !status.ok()) return status.with_context(context);
    Result<T> result = read(YAML::Load(joined.text));
    if (!result) return result.error().with_context(context);
    return result;
  } catch (const YAML::Exception& error) {
    return Status(Code::kInvalidArgument, fmt::format("{}: malformed YAML: {}", context, error.what()));
  }
}

}  // namespace nestrt::tools::yaml
