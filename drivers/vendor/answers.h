// SPDX-License-Identifier: Apache-2.0
// Validates data that a plug-in writes for nestrt. None of it is trusted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "nestrt/vendor.h"

namespace nestrt::vendor {

// A struct that a plug-in fills, followed by guard bytes that it must not change.
template <typename Struct>
class Answer {
 public:
  Answer() {
    if constexpr (requires(Struct s) { s.struct_bytes; }) value_.given.struct_bytes = sizeof(Struct);
    value_.behind.fill(kFill);
  }
  Struct* get() { return &value_.given; }
  bool is_intact() const {
    return std::all_of(value_.behind.begin(), value_.behind.end(), [](std::byte byte) { return byte == kFill; });
  }

 private:
  static constexpr std::byte kFill{0xa5};
  struct {
    Struct given{};
    std::array<std::byte, 64> behind;
  } value_;
};

template <size_t size>
bool is_terminated(const char (&text)[size]) {
  return std::find(text, text + size, '\0') != text + size;
}

// Returns the text up to the terminating zero, or all of it.
template <size_t size>
std::string text_of(const char (&text)[size]) {
  return {text, std::find(text, text + size, '\0')};
}

inline bool is_unit_kind(std::string_view kind) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_allowed = [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !kind.empty() && is_lower(kind[0]) && std::all_of(kind.begin(), kind.end(), is_allowed) && kind != "cpu" &&
         kind != "evta";
}

// Returns whether the text is valid as a configuration in a unit list.
inline bool is_configuration(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f' && c != ',' && c != ':'; });
}

}  // namespace nestrt::vendor
