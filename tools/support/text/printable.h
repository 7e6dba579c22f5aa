// SPDX-License-Identifier: Apache-2.0
// Makes text from files safe for terminals: characters that would move the cursor or hide or reorder text become
// escapes. Character properties are those of Unicode's tables (utf8proc).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nestrt::tools {

// Returns `name` with control, format, invisible, private and unassigned characters and invalid UTF-8 bytes escaped
// (\n, \x1b, \u202e, \U000e0041). Names over 120 characters are shortened in the middle.
std::string printable(std::string_view name);

// Returns `message` with the same characters escaped. Keeps newlines before lines indented by two spaces and removes
// trailing newlines. Shortens 'quotations' like names, and the message to 16,000 characters.
std::string printable_message(std::string_view message);

// Returns whether the text is valid UTF-8 without noncharacters (The Unicode Standard 23.7), so that all programs write
// it unchanged.
bool is_utf8(std::string_view text);

// Returns the number of terminal columns: two for wide East Asian characters, zero for combining characters, one for a
// byte that is not UTF-8.
size_t display_width(std::string_view text);

}  // namespace nestrt::tools
