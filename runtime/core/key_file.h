// SPDX-License-Identifier: Apache-2.0
// Key files: a line contains the kind of key and its hexadecimal digits, "nestrt-public-key 95ef...".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "nestrt/status.h"

namespace nestrt {

inline constexpr std::string_view kPublicKey = "nestrt-public-key";
inline constexpr std::string_view kSecretKey = "nestrt-secret-key";

// Fills all of `key`. Errors: kNotFound, kIo, kInvalidArgument if no line contains a valid key of the requested kind.
Status read_key_file(const std::string& path, std::string_view kind, std::span<uint8_t> key);

}  // namespace nestrt
