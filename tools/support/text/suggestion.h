// SPDX-License-Identifier: Apache-2.0
// Suggests the intended word for a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nestrt::tools {

// Returns the candidate with the smallest optimal string alignment distance to `word`: insertions, deletions,
// substitutions and transpositions. Returns nothing if the distance exceeds two or a third of the letters.
std::optional<std::string> most_like(std::string_view word, std::span<const std::string> candidates);

}  // namespace nestrt::tools
