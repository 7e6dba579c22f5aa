// A hash of text that is the same on every machine and in every version; not against those who mean harm.
#pragma once

#include <string>
#include <string_view>

namespace nestrt {

// FNV-1a with 64 bits, as sixteen hexadecimal digits. Source: Fowler, Noll, Vo; IETF draft-eastlake-fnv.
std::string text_hash(std::string_view text);

}  // namespace nestrt
