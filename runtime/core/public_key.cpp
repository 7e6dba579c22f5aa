// SPDX-License-Identifier: Apache-2.0
#include "nestrt/public_key.h"

#include <fmt/core.h>

#include "runtime/core/key_file.h"
#include "runtime/platform/guard.h"
#include "runtime/text/hexadecimal.h"

namespace nestrt {

std::string PublicKey::to_string() const { return to_hexadecimal(bytes); }

Result<PublicKey> parse_public_key(std::string_view text) {
  PublicKey key;
  if (from_hexadecimal(text, key.bytes)) return key;
  return guarded([&] {
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' is not a public key: expected 64 hexadecimal digits", text));
  });
}

Result<PublicKey> read_public_key(const std::string& path) {
  PublicKey key;
  NESTRT_RETURN_IF_ERROR(guarded([&] { return read_key_file(path, kPublicKey, key.bytes); }));
  return key;
}

}  // namespace nestrt
