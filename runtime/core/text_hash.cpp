#include "runtime/core/text_hash.h"

#define XXH_INLINE_ALL
#include <fmt/core.h>
#include <xxhash.h>

namespace nestrt {

std::string text_hash(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

}  // namespace nestrt
