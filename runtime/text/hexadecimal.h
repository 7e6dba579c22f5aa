// Bytes as hexadecimal digits, two each, lower case.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nestrt {

std::string to_hexadecimal(std::span<const uint8_t> bytes);

// Fills all of `bytes`; false where the text is not exactly as many digits. Upper case is taken, too.
bool from_hexadecimal(std::string_view text, std::span<uint8_t> bytes);

}  // namespace nestrt
