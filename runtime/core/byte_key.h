// SPDX-License-Identifier: Apache-2.0
// Keys for hash tables: the bytes of numbers, lists and attributes, appended one after another. Equal sequences of
// fields have equal keys and vice versa, because lists contain their length.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "nestrt/driver/operators.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/shape.h"

namespace nestrt::byte_key {

template <typename T>
void append(std::string& key, T number) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename T>
void append(std::string& key, const std::vector<T>& list) {
  append(key, list.size());
  for (T entry : list) append(key, entry);
}

inline void append(std::string& key, const Shape& shape) {
  append(key, shape.rank());
  for (int64_t dim : shape) append(key, dim);
}

inline void append(std::string& key, const ops::Activation& activation) {
  append(key, activation.kind);
  append(key, activation.alpha);
  append(key, activation.beta);
}

inline void append(std::string& key, const plan::Quantization& quantization) {
  append(key, quantization.exponents);
  append(key, quantization.scales);
  append(key, quantization.zero_points);
  append(key, quantization.axis);
}

// `quantization`: a pointer or an optional.
template <typename T>
void append_if_any(std::string& key, const T& quantization) {
  append(key, static_cast<bool>(quantization));
  if (quantization) append(key, *quantization);
}

inline void append(std::string& key, const ops::Attributes& attributes) {
  append(key, ops::kind_of(attributes));
  const auto append_fields = [&key](const auto& op) {
    if constexpr (!std::is_same_v<decltype(op), const std::monostate&>)
      ops::for_each_field(op, [&key](std::string_view, const auto& field) { append(key, field); });
  };
  std::visit(append_fields, static_cast<const ops::AnyOperator&>(attributes));
}

}  // namespace nestrt::byte_key
