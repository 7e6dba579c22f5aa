// escaped(): a message that may quote names out of files, as it can be shown anywhere: a terminal obeys nothing in it,
// and nobody can forge a line of a log. The commands, which know what a terminal can draw, have
// tools/support/text/printable.h.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace nestrt {

// One byte of a text: printable ASCII as it is, a line's end as \n, every other as \xNN.
struct EscapedByte {
  explicit EscapedByte(char byte);

  std::string_view view() const { return {text.data(), size}; }

  std::array<char, 4> text;
  size_t size;
};

std::string escaped(std::string_view message);

}  // namespace nestrt
