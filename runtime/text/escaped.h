// SPDX-License-Identifier: Apache-2.0
// escaped(): makes a message that may quote names from files safe to print. The result contains no terminal control
// sequences and cannot forge log lines. The command-line tools, which detect the terminal's capabilities, use
// tools/support/text/printable.h.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace nestrt {

// One escaped byte: printable ASCII unchanged, a newline as \n, every other byte as \xNN.
struct EscapedByte {
  explicit EscapedByte(char byte);

  std::string_view view() const { return {text.data(), size}; }

  std::array<char, 4> text;
  size_t size;
};

std::string escaped(std::string_view message);

}  // namespace nestrt
