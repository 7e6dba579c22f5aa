// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/format/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "runtime/platform/mapped_pages.h"

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

// Returns the hash state after the header. The digest width is chosen when it is finished.
XXH3_state_t state_after_header(std::span<const std::byte> file) {
  const Header header = without_digests(read_header(file));
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, &header, sizeof header);
  return state;
}

void update(XXH3_state_t& state, std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state, bytes.data(), bytes.size());
}

// Returns the hash state after the first `end` bytes.
XXH3_state_t state_after(std::span<const std::byte> file, uint64_t end) {
  XXH3_state_t state = state_after_header(file);
  update(state, file.subspan(sizeof(Header), end - sizeof(Header)));
  return state;
}

ContentDigest finish(const XXH3_state_t& state) {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return {hash.low64, hash.high64};
}

}  // namespace

uint64_t tables_digest(std::span<const std::byte> file) {
  const XXH3_state_t state = state_after(file, read_header(file).data_offset);
  return XXH3_64bits_digest(&state);
}

ContentDigest content_digest(std::span<const std::byte> file) { return finish(state_after(file, file.size())); }

ContentDigest content_digest_of_mapping(std::span<const std::byte> file) {
  constexpr size_t kPartBytes = size_t{1} << 20;
  XXH3_state_t state = state_after_header(file);
  for (size_t at = sizeof(Header); at < file.size(); at += kPartBytes) {
    const auto part = file.subspan(at, std::min(kPartBytes, file.size() - at));
    update(state, part);
    release_mapped_pages(file.first(at + part.size()));  // reading a page may also map pages before it
  }
  return finish(state);
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
