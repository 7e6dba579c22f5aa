// SPDX-License-Identifier: Apache-2.0
// Digests that identify files and arrays.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace nestrt::compiler {

// Returns 32 hexadecimal digits (XXH3, 128 bits).
std::string digest(std::span<const std::byte> bytes);

}  // namespace nestrt::compiler
