// What somebody who mistyped a word most likely meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nestrt::tools {

// The candidate that the fewest edits make of `word`: a letter more, less, another one, or two in each other's place
// (the optimal string alignment distance). Nothing where a third of its letters would be other ones, or more than two.
std::optional<std::string> most_like(std::string_view word, std::span<const std::string> candidates);

}  // namespace nestrt::tools
