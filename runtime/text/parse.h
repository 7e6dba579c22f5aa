// SPDX-License-Identifier: Apache-2.0
// Parsing of text: splitting and numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace nestrt {

// Splits a text. Returns the whole text as one part if it contains no separator.
inline std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

// Parses a number. Returns nullopt unless the whole text is a number.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace nestrt
