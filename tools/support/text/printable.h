// Text out of files, safe for a terminal: what would move the cursor, hide or reorder text is shown as an escape. What
// a character is, Unicode's tables say (utf8proc).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nestrt::tools {

// A name: control and format characters, what no font draws, private and unassigned characters, and bytes that are no
// UTF-8 become escapes (\n, \x1b, \u202e, \U000e0041); where there are more than 120 characters, the middle is left
// out.
std::string printable(std::string_view name);

// A message that may quote such names: escaped likewise, except where a line ends and the next is indented by two
// spaces, and without line ends at its own end; 'quotations' are shortened as names are, and the whole to 16,000
// characters.
std::string printable_message(std::string_view message);

// Whether all of it is characters in UTF-8, none of those that Unicode sets aside for ever as none (noncharacters, The
// Unicode Standard 23.7): what every program that writes text writes as it is.
bool is_utf8(std::string_view text);

// The columns that text takes on a terminal: two for a wide character of East Asia, none for one that combines with the
// character before it, one for a byte that is no UTF-8.
size_t display_width(std::string_view text);

}  // namespace nestrt::tools
