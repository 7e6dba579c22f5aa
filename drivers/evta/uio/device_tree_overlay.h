// SPDX-License-Identifier: Apache-2.0
// Reads a compiled device tree overlay (.dtbo), in the format of the Devicetree Specification, version 17.
#pragma once

#include <string>
#include <string_view>

#include "nestrt/result.h"

namespace nestrt::evta {

// Returns the value of the first property firmware-name: the bitstream that Linux loads when it applies the overlay.
// Empty if the overlay has no such property. Errors: kInvalidArgument for a file that is not an overlay. Accesses
// nothing outside of `bytes`, whatever they contain.
Result<std::string> bitstream_of_overlay(std::string_view bytes);

}  // namespace nestrt::evta
