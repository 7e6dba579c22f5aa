#include "runtime/plan/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace nestrt::plan_format {
namespace {

Header read_header(std::span<const std::byte> file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  return header;
}

// The header as the digests see it.
Header without_digests(Header header) {
  header.tables_digest = 0;
  header.content_digest[0] = header.content_digest[1] = 0;
  return header;
}

}  // namespace

uint64_t tables_digest(std::span<const std::byte> file) {
  const Header header = without_digests(read_header(file));
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &header, sizeof header);
  XXH3_64bits_update(&state, file.data() + sizeof header, header.data_offset - sizeof header);
  return XXH3_64bits_digest(&state);
}

ContentDigest content_digest(std::span<const std::byte> file) {
  const Header header = without_digests(read_header(file));
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, &header, sizeof header);
  XXH3_128bits_update(&state, file.data() + sizeof header, file.size() - sizeof header);
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return {hash.low64, hash.high64};
}

void write_digests(std::span<std::byte> file) {
  Header header = read_header(file);
  header.tables_digest = tables_digest(file);
  const ContentDigest content = content_digest(file);
  header.content_digest[0] = content.low;
  header.content_digest[1] = content.high;
  std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace nestrt::plan_format
