// text(...): the parts of a message as one string.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace nestrt {

inline void append_text(std::string& target, std::string_view part) { target += part; }
template <std::integral Integer>
void append_text(std::string& target, Integer part) {
  target += std::to_string(part);
}

template <typename... Parts>
std::string text(const Parts&... parts) {
  std::string result;
  (append_text(result, parts), ...);
  return result;
}

}  // namespace nestrt
