// SPDX-License-Identifier: Apache-2.0
// Builds compiled device tree overlays for tests.
#pragma once

#include <string>
#include <string_view>

namespace nestrt::boards {

// Returns an overlay with a property firmware-name in a nested node, after other properties. If `bitstream` is empty,
// the overlay has no such property.
std::string make_overlay(std::string_view bitstream);

}  // namespace nestrt::boards
