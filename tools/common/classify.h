// What a classifier's output says.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nestrt::tools {

// Positions of the `count` largest values, largest first, of equals the first; NaN counts as smallest.
std::vector<size_t> largest(std::span<const float> values, size_t count);

// Values in [0, 1] that add up to 1, within what rounding explains.
bool is_distribution(std::span<const float> values);

}  // namespace nestrt::tools
