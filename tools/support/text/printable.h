// SPDX-License-Identifier: Apache-2.0
// Makes text from files safe for terminals: characters that would move the cursor or hide or reorder text become
// escapes. Character properties are those of Unicode's tables (utf8proc).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nestrt::tools {

// Returns a name in which control, format, invisible, private and unassigned characters and bytes that are not UTF-8
// are escaped (\n, \x1b, \u202e, \U000e0041). If it has more than 120 characters, the middle is omitted.
std::string printable(std::string_view name);

// Returns a message with such names escaped. Line ends stay if the next line is indented by two spaces; final line ends
// are removed. 'Quotations' are shortened like names, and the message to 16,000 characters.
std::string printable_message(std::string_view message);

// Returns whether the text is valid UTF-8 without noncharacters (The Unicode Standard 23.7), so that all programs write
// it unchanged.
bool is_utf8(std::string_view text);

// Returns the number of terminal columns: two for wide East Asian characters, zero for combining characters, one for a
// byte that is not UTF-8.
size_t display_width(std::string_view text);

}  // namespace nestrt::tools
