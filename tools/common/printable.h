// Text out of files, safe for a terminal: what would move the cursor, hide or reorder text is shown as an escape.
#pragma once

#include <string>
#include <string_view>

namespace nestrt::tools {

// A name: control characters, invisible and bidirectional marks, and bytes that are no UTF-8 become escapes (\n, \x1b,
// \u202e); of more than 120 characters the middle is left out.
std::string printable(std::string_view name);

// A message that may quote such names: escaped likewise, except where a line ends and the next is indented by two
// spaces; 'quotations' are shortened as names are, and the whole to 16,000 characters.
std::string printable_message(std::string_view message);

}  // namespace nestrt::tools
