// Names of parts and of their files.
#pragma once

#include <string_view>

namespace nestrt::compiler {

// Returns true for a valid name, which denotes a file in the manifest's folder.
bool is_part_name(std::string_view name);
inline constexpr std::string_view kPartNameRule =
    "a part and its file are called by letters, digits, '_', '-' and '.', which is not the first, 100 of them at most";

}  // namespace nestrt::compiler
