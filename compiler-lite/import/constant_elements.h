// SPDX-License-Identifier: Apache-2.0
// The elements of constants as lists of numbers.
#pragma once

#include <vector>

#include "compiler-lite/graph/graph.h"

namespace nestrt::compiler {

// Requires: elements of type From.
template <typename To, typename From>
std::vector<To> elements_as(const Value& value) {
  const From* data = value.data<From>();
  return std::vector<To>(data, data + value.shape.num_elements());
}

// Requires: integers or booleans.
template <typename To>
std::vector<To> integers_as(const Value& value) {
  switch (value.type) {
    case DataType::kS64:
      return elements_as<To, int64_t>(value);
    case DataType::kS32:
      return elements_as<To, int32_t>(value);
    case DataType::kS8:
      return elements_as<To, int8_t>(value);
    default:
      return elements_as<To, uint8_t>(value);
  }
}

}  // namespace nestrt::compiler
