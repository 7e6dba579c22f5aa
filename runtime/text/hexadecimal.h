// SPDX-License-Identifier: Apache-2.0
// Bytes as hexadecimal digits: two per byte, lower case.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nestrt {

std::string to_hexadecimal(std::span<const uint8_t> bytes);

// Fills all of `bytes`. Returns false unless the text has exactly the required number of digits. Also accepts upper
// case.
bool from_hexadecimal(std::string_view text, std::span<uint8_t> bytes);

}  // namespace nestrt
