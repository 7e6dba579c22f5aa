// PublicKey: whose plans are trusted. A plan that `nestc sign` has signed with the secret half carries a signature over
// all of its bytes: Ed25519ph, RFC 8032 (the bytes are hashed by SHA-512 first).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "nestrt/driver/visibility.h"
#include "nestrt/result.h"

namespace NESTRT_PUBLIC nestrt {

struct PublicKey {
  std::array<uint8_t, 32> bytes{};

  bool operator==(const PublicKey&) const = default;
  std::string to_string() const;  // 64 hexadecimal digits
};

// From 64 hexadecimal digits. Errors: kInvalidArgument.
Result<PublicKey> parse_public_key(std::string_view text);

// From a file as `nestc keygen` writes it, with a line "nestrt-public-key" and 64 hexadecimal digits.
// Errors: kNotFound, kIo, kInvalidArgument.
Result<PublicKey> read_public_key(const std::string& path);

}  // namespace nestrt
