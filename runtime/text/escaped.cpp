// SPDX-License-Identifier: Apache-2.0
#include "runtime/text/escaped.h"

namespace nestrt {

EscapedByte::EscapedByte(char byte) : text{byte}, size(1) {
  if (byte >= ' ' && byte <= '~') return;
  if (byte == '\n') {
    text = {'\\', 'n'};
    size = 2;
    return;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  text = {'\\', 'x', kDigits[value / 16], kDigits[value % 16]};
  size = 4;
}

std::string escaped(std::string_view message) {
  std::string result;
  result.reserve(message.size());
  for (const char byte : message) result += EscapedByte(byte).view();
  return result;
}

}  // namespace nestrt
