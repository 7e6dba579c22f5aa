// Extents: bytes of a plan's buffers, and sets of them.
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
  // By buffer, then by begin.
  bool operator<(const Extent& other) const {
    return buffer != other.buffer ? buffer < other.buffer : begin < other.begin;
  }
};

// A set: extents that are ascending, and neither overlap nor touch; none is empty.
using Extents = std::vector<Extent>;

// Adds one, not empty, that does not come before those that are there; what touches the last becomes one with it.
inline void append(const Extent& extent, Extents& set) {
  if (!set.empty() && set.back().buffer == extent.buffer && extent.begin <= set.back().end)
    set.back().end = std::max(set.back().end, extent.end);
  else
    set.push_back(extent);
}

// The same bytes as a set: of extents in any order, which may overlap and be empty.
Extents make_set(Extents any);
// The bytes that both have.
Extents intersection(const Extents& one, const Extents& other);
// The bytes of `one` that `other` has not.
Extents difference(const Extents& one, const Extents& other);
// Whether it has all of the bytes.
bool holds(const Extents& set, const Extent& bytes);
// The first of the bytes that it has not. Requires: there is one.
uint64_t first_missing(const Extents& set, const Extent& bytes);
// Whether it has one of them.
bool touches(const Extents& set, const Extent& bytes);

}  // namespace nestrt::plan_verify
