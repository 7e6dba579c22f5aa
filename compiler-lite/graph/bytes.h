// SPDX-License-Identifier: Apache-2.0
// Bytes: elements of any type as stored in memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nestrt::compiler {

using Bytes = std::vector<std::byte>;

template <typename T>
Bytes to_bytes(const std::vector<T>& elements) {
  const auto bytes = std::as_bytes(std::span(elements));
  return Bytes(bytes.begin(), bytes.end());
}

}  // namespace nestrt::compiler
