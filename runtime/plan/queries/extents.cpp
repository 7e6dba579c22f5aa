// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/extents.h"

#include <utility>

namespace nestrt::plan_verify {
namespace {

bool ends_before(const Extent& a, const Extent& b) {
  return a.buffer != b.buffer ? a.buffer < b.buffer : a.end <= b.begin;
}

// Returns the first extent in the set that ends at or after the start of `bytes`.
Extents::const_iterator first_of(const Extents& set, const Extent& bytes) {
  return std::lower_bound(set.begin(), set.end(), bytes, ends_before);
}

}  // namespace

Extents make_set(Extents any) {
  std::erase_if(any, [](const Extent& extent) { return extent.begin == extent.end; });
  std::sort(any.begin(), any.end());
  Extents set;
  for (const Extent& extent : any) append(extent, set);
  return set;
}

Extents intersection(const Extents& one, const Extents& other) {
  Extents both;
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
    if (a->overlaps(*b)) append({a->buffer, std::max(a->begin, b->begin), std::min(a->end, b->end)}, both);
    const bool a_is_over = a->buffer != b->buffer ? a->buffer < b->buffer : a->end <= b->end;
    ++(a_is_over ? a : b);
  }
  return both;
}

Extents difference(const Extents& one, const Extents& other) {
  Extents left;
  for (Extent rest : one) {
    for (auto taken = first_of(other, rest); taken != other.end() && taken->overlaps(rest); ++taken) {
      if (rest.begin < taken->begin) left.push_back({rest.buffer, rest.begin, taken->begin});
      rest.begin = std::min(taken->end, rest.end);
    }
    if (rest.begin < rest.end) left.push_back(rest);
  }
  return left;
}

bool holds(const Extents& set, const Extent& bytes) {
  return bytes.begin == bytes.end || first_missing(set, bytes) >= bytes.end;
}

uint64_t first_missing(const Extents& set, const Extent& bytes) {
  const auto first = first_of(set, bytes);
  const bool has_begin = first != set.end() && first->buffer == bytes.buffer && first->begin <= bytes.begin;
  return has_begin ? first->end : bytes.begin;
}

bool touches(const Extents& set, const Extent& bytes) {
  const auto first = first_of(set, bytes);
  return first != set.end() && first->overlaps(bytes);
}

}  // namespace nestrt::plan_verify
