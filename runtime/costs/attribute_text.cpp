// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/attribute_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace nestrt {
namespace {

// Parameters that count as data, like weights, because they do not change the instructions.
constexpr std::string_view kData[] = {"inner_exponent"};

template <typename Number>
requires std::is_arithmetic_v<Number>
void add_value(std::string& text, Number value) {
  char digits[64];  // enough for the shortest text that parses to the same number
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void add_value(std::string& text, bool value) { text += value ? '1' : '0'; }

template <typename Enum>
requires std::is_enum_v<Enum>
void add_value(std::string& text, Enum value) { text += name(value); }

// Existing cost files use this name.
void add_value(std::string& text, DataType value) { text += value == DataType::kBool ? "boolean" : name(value); }

template <typename Element>
void add_value(std::string& text, const std::vector<Element>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    add_value(text, values[i]);
  }
}

void add_value(std::string& text, const ops::Activation& activation) {
  char separator = '(';
  ops::for_each_field(activation, [&](std::string_view name, const auto& value) {
    (text += separator).append(name) += '=';
    add_value(text, value);
    separator = ' ';
  });
  text += ')';
}

std::string fields_text(std::monostate) { return {}; }

template <typename Op>
std::string fields_text(const Op& op) {
  const Op defaults;
  std::string text;
  const auto add = [&](const auto& field) {
    const auto& value = op.*field.member;
    if (value == defaults.*field.member || std::ranges::find(kData, field.name) != std::end(kData)) return;
    (text += ' ').append(field.name) += '=';
    add_value(text, value);
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, Op::fields());
  return text;
}

}  // namespace

std::string attribute_text(const ops::Attributes& attributes) {
  return std::visit([](const auto& op) { return fields_text(op); }, attributes);
}

}  // namespace nestrt
