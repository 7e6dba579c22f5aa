// SPDX-License-Identifier: Apache-2.0
// Names of parts and of their files.
#pragma once

#include <string_view>

namespace nestrt::compiler {

// Returns true for a valid name, which denotes a file in the manifest's folder.
bool is_part_name(std::string_view name);
inline constexpr std::string_view kPartNameRule =
    "part names consist of at most 100 letters, digits, '_', '-' and '.', and do not start with '.'";

}  // namespace nestrt::compiler
