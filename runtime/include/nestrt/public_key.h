// SPDX-License-Identifier: Apache-2.0
// PublicKey: verifies the origin of a plan. `nestc sign` signs all bytes of a plan with the secret key: Ed25519ph,
// RFC 8032, which hashes the bytes with SHA-512 first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "nestrt/result.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

struct PublicKey {
  std::array<uint8_t, 32> bytes{};

  bool operator==(const PublicKey&) const = default;
  // Returns 64 hexadecimal digits.
  std::string to_string() const;
};

// Parses 64 hexadecimal digits. Errors: kInvalidArgument.
Result<PublicKey> parse_public_key(std::string_view text);

// Reads a key file of `nestc keygen`: a line "nestrt-public-key" followed by 64 hexadecimal digits.
// Errors: kNotFound, kIo, kInvalidArgument.
Result<PublicKey> read_public_key(const std::string& path);

}  // namespace nestrt
