// SPDX-License-Identifier: Apache-2.0
#include "runtime/text/text_hash.h"

#include <fmt/core.h>

#include <cstdint>

namespace nestrt {

std::string text_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace nestrt
