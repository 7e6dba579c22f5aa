// SPDX-License-Identifier: Apache-2.0
// Reads YAML that may have been edited by hand: checks every value and reports the line of every error.
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

// Returns kInvalidArgument with the problem and its position.
Status refuse(const YAML::Node& node, std::string_view what);

// Errors: kInvalidArgument if the map lacks the key or its text is not UTF-8.
Result<YAML::Node> member(const YAML::Node& map, const std::string& key);
Result<std::string> member_text(const YAML::Node& map, const std::string& key);
// Returns the member's text like member(), for at most `max_bytes` bytes.
Result<std::string> member_text(const YAML::Node& map, const std::string& key, size_t max_bytes);

// Errors: kInvalidArgument if the map has an unknown or repeated key.
Status check_keys(const YAML::Node& map, const std::set<std::string>& known);

// Errors: kInvalidArgument for a text that would change when read again: yaml-cpp replaces bytes that are not UTF-8 by
// U+FFFD. `what` names it in the message.
Status check_writable_text(std::string_view text, std::string_view what);

// Lists of numbers that join_number_lists() joined into one scalar. A separate node per number would need a hundred
// times the size of the number in the file.
bool is_joined(const YAML::Node& node);
std::vector<std::string_view> split_joined(std::string_view scalar);

// Parses a number in [low, high] that fills `text`, a part of the node.
template <typename T>
Result<T> number_in(const YAML::Node& node, std::string_view text, std::string_view what, T low, T high) {
  const std::optional<T> result = parse_number<T>(text.substr(text.starts_with('+') ? 1 : 0));
  if (!result || !(*result >= low && *result <= high))
    return refuse(node, fmt::format("{}: expected a number from {} to {}, got {}", what, low, high, text));
  return *result;
}
// Parses the whole scalar.
template <typename T>
Result<T> number(const YAML::Node& node, std::string_view what, T low, T high) {
  return number_in(node, node.IsScalar() ? std::string_view(node.Scalar()) : "no number", what, low, high);
}

template <typename T>
Result<T> member_number(const YAML::Node& map, const std::string& key, T low, T high) {
  NESTRT_ASSIGN_OR_RETURN(const YAML::Node node, member(map, key));
  return number<T>(node, key, low, high);
}

// Parses the numbers of a list that join_number_lists() has made one scalar. Requires: node.IsScalar().
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

// Returns the result of `read` for the root of the text. Errors: those of `read` and of the syntax, with `name`.
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
