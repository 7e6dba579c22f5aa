// What is looked at in a YAML text before yaml-cpp makes nodes of it: a node takes up to 500 bytes, however short it is
// in the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt::tools::yaml {

// A text in which values "[1, 2, 3]" of keys are one quoted scalar each, of the same length.
struct JoinedText {
  std::string text;
  uint64_t separators = 0;  // within those scalars, that would separate nodes elsewhere
};

// Joins lists up to where it is not certain what yaml-cpp takes for quoted and for a comment: up to a quotation that
// does not follow a key, a block scalar, an anchor, an alias, a tag, a directive.
JoinedText join_number_lists(std::string text);

// kInvalidArgument for a text that is no UTF-8 or has a character 0: yaml-cpp guesses other encodings.
Status check_encoding(std::string_view text);

// kInvalidArgument for a text that may have nodes out of proportion to its bytes. What is quoted counts, too: so
// nothing depends on telling it apart.
Status check_nodes(const JoinedText& joined);

// kInvalidArgument for an alias in the first document, with its line. Throws YAML::Exception where the syntax is wrong.
Status check_aliases(const std::string& text);

}  // namespace nestrt::tools::yaml
