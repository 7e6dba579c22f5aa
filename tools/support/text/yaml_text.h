// SPDX-License-Identifier: Apache-2.0
// Checks a YAML text before yaml-cpp creates nodes from it: a node takes up to 500 bytes, even if its text is short.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt::tools::yaml {

// A text in which values "[1, 2, 3]" of keys have become quoted scalars of equal length.
struct JoinedText {
  std::string text;
  uint64_t separators = 0;  // number separators within those scalars
};

// Joins lists until it is uncertain what yaml-cpp treats as quotation or comment: a quotation that does not follow a
// key, a block scalar, an anchor, an alias, a tag, or a directive.
JoinedText join_number_lists(std::string text);

// Errors: kInvalidArgument for a text that is not UTF-8 or contains NUL, for which yaml-cpp guesses other encodings.
Status check_encoding(std::string_view text);

// Errors: kInvalidArgument for a text with too many nodes per byte. Quoted text counts, too, so the result does not
// depend on detecting quotations.
Status check_nodes(const JoinedText& joined);

// Errors: kInvalidArgument for an alias in the first document, with its line. Throws YAML::Exception for invalid
// syntax.
Status check_aliases(const std::string& text);

}  // namespace nestrt::tools::yaml
