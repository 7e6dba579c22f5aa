// SPDX-License-Identifier: Apache-2.0
// A hash of text that is stable across machines and versions. Not cryptographic.
#pragma once

#include <string>
#include <string_view>

namespace nestrt {

// Returns the 64-bit FNV-1a hash as sixteen hexadecimal digits. Source: Fowler, Noll, Vo; IETF draft-eastlake-fnv.
std::string text_hash(std::string_view text);

}  // namespace nestrt
