// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/yaml_text.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <utility>

#include "runtime/core/budget.h"
#include "tools/support/text/printable.h"

namespace nestrt::tools::yaml {
namespace {

// A node takes up to 500 bytes, which is 20 times the size of the shortest text per node.
constexpr size_t kBytesPerNode = 25;
constexpr size_t kNodesOfAnyText = 400'000;

constexpr std::string_view kNumberCharacters = "0123456789+-.eE, \t\r\n";

bool separates(std::string_view text, size_t at) {
  switch (text[at]) {
    case ',':
    case ':':
    case '[':
    case '{':
    case '?':
    case '"':
    case '\'':
    case '\r':
    case '\n':
      return true;
    case '-':
      return at + 1 < text.size() && text[at + 1] == ' ';
    default:
      return false;
  }
}

uint64_t separators_in(std::string_view text, size_t begin, size_t end) {
  uint64_t count = 0;
  for (size_t at = begin; at < end; ++at) count += separates(text, at) ? 1 : 0;
  return count;
}

// Returns whether the character before `at` is the colon of a key.
bool is_value(std::string_view text, size_t at) {
  const size_t before = text.find_last_not_of(' ', at == 0 ? 0 : at - 1);
  return before != std::string_view::npos && before + 1 < at && text[before] == ':';
}

size_t end_of_quoted(std::string_view text, size_t at) {
  const char quote = text[at];
  for (size_t i = at + 1; i < text.size(); ++i) {
    const bool is_pair = quote == '\'' && text.substr(i, 2) == "''";
    if (is_pair || (quote == '"' && text[i] == '\\'))
      ++i;
    else if (text[i] == quote)
      return i + 1;
  }
  return text.size();
}

// Returns the position after the quotation, comment or other character at `at`; nothing if yaml-cpp may interpret it
// differently.
std::optional<size_t> certain_end(std::string_view text, size_t at) {
  const char before = at == 0 ? '\n' : text[at - 1];
  if (text[at] == '\r') return text.substr(at, 2) == "\r\n" ? std::optional(at + 2) : std::nullopt;
  const bool is_indicator = std::string_view("\"'#&*!|>%@`?").find(text[at]) != std::string_view::npos;
  if (!is_indicator || std::isalnum(static_cast<unsigned char>(before))) return at + 1;  // or within a plain scalar
  if (text[at] == '"' || text[at] == '\'')
    return is_value(text, at) ? std::optional(end_of_quoted(text, at)) : std::nullopt;
  const bool is_comment = text[at] == '#' && (before == ' ' || before == '\n');
  return is_comment ? std::optional(std::min(text.find_first_of("\r\n", at), text.size())) : std::nullopt;
}

class AliasFinder final : public YAML::EventHandler {
 public:
  const std::optional<YAML::Mark>& first() const { return first_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    if (!first_) first_ = mark;
  }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::optional<YAML::Mark> first_;
};

}  // namespace

JoinedText join_number_lists(std::string text) {
  JoinedText joined;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '[' && is_value(text, at)) {
      const size_t end = text.find_first_not_of(kNumberCharacters, at + 1);
      const std::string_view list = std::string_view(text).substr(at, end - at);
      // A list of one number could be mistaken for the number.
      if (end != std::string::npos && text[end] == ']' && list.find(',') != std::string_view::npos) {
        text[at] = text[end] = '"';
        joined.separators += separators_in(text, at + 1, end);
        at = end + 1;
        continue;
      }
    }
    const std::optional<size_t> next = certain_end(text, at);
    if (!next) break;
    at = *next;
  }
  joined.text = std::move(text);
  return joined;
}

Status check_encoding(std::string_view text) {
  if (text.find('\0') == std::string_view::npos && is_utf8(text)) return {};
  return Status(Code::kInvalidArgument, "is not UTF-8 text");
}

Status check_nodes(const JoinedText& joined) {
  const std::string& text = joined.text;
  Budget nodes(kNodesOfAnyText + text.size() / kBytesPerNode);
  if (nodes.charge(separators_in(text, 0, text.size()) - joined.separators)) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("has more than {} entries, the limit for a file of {} bytes", nodes.limit(), text.size()));
}

Status check_aliases(const std::string& text) {
  if (text.find('*') == std::string::npos) return {};
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  AliasFinder finder;
  // the first document, as YAML::Load; if it ends early, reading all may not terminate
  parser.HandleNextDocument(finder);
  if (!finder.first()) return {};
  return Status(
      Code::kInvalidArgument,
      fmt::format("line {}: has an alias ('*...'), which can expand a short file to a huge one; write out its value",
                  finder.first()->line + 1));
}

}  // namespace nestrt::tools::yaml
