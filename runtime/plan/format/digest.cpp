// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/format/digest.h"

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

// Returns the header with both digests set to zero.
Header without_digests(Header header) {
  header.tables_digest = 0;
  header.content_digest[0] = header.content_digest[1] = 0;
  return header;
}

// Returns the hash state after the header and the following bytes. The digest width is chosen when it is finished.
XXH3_state_t state_after(std::span<const std::byte> file, uint64_t end) {
  const Header header = without_digests(read_header(file));
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (const auto part : {std::as_bytes(std::span(&header, 1)), file.subspan(sizeof header, end - sizeof header)})
    XXH3_128bits_update(&state, part.data(), part.size());
  return state;
}

}  // namespace

uint64_t tables_digest(std::span<const std::byte> file) {
  const XXH3_state_t state = state_after(file, read_header(file).data_offset);
  return XXH3_64bits_digest(&state);
}

ContentDigest content_digest(std::span<const std::byte> file) {
  const XXH3_state_t state = state_after(file, file.size());
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
