// SPDX-License-Identifier: Apache-2.0
// Extents: byte ranges of a plan's buffers, and sets of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nestrt::plan_verify {

// Bytes [begin, end) of a buffer.
struct Extent {
  uint32_t buffer = 0;
  uint64_t begin = 0;
  uint64_t end = 0;

  bool overlaps(const Extent& other) const {
    return buffer == other.buffer && std::max(begin, other.begin) < std::min(end, other.end);
  }
  // Orders by buffer, then by begin.
  bool operator<(const Extent& other) const {
    return buffer != other.buffer ? buffer < other.buffer : begin < other.begin;
  }
};

// A set of bytes: non-empty extents in ascending order that neither overlap nor are adjacent.
using Extents = std::vector<Extent>;

// Adds a non-empty extent that does not precede existing ones; merges it with the last one if they are adjacent or
// overlap.
inline void append(const Extent& extent, Extents& set) {
  if (!set.empty() && set.back().buffer == extent.buffer && extent.begin <= set.back().end)
    set.back().end = std::max(set.back().end, extent.end);
  else
    set.push_back(extent);
}

// Returns the same bytes as a set. The extents may be in any order, overlap, and be empty.
Extents make_set(Extents any);
// Returns the intersection.
Extents intersection(const Extents& one, const Extents& other);
// Returns the bytes of `one` that are not in `other`.
Extents difference(const Extents& one, const Extents& other);
// Returns whether the set contains all of the bytes.
bool holds(const Extents& set, const Extent& bytes);
// Returns the first byte that is not in the set. Requires: one exists.
uint64_t first_missing(const Extents& set, const Extent& bytes);
// Returns whether the set contains any of the bytes.
bool touches(const Extents& set, const Extent& bytes);

}  // namespace nestrt::plan_verify
