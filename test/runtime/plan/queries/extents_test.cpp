// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/extents.h"

#include <catch2/catch.hpp>
#include <tuple>
#include <vector>

namespace nestrt::plan_verify {
namespace {

using Triple = std::tuple<uint32_t, uint64_t, uint64_t>;

std::vector<Triple> triples(const Extents& set) {
  std::vector<Triple> result;
  for (const Extent& extent : set) result.emplace_back(extent.buffer, extent.begin, extent.end);
  return result;
}

// Returns bytes 0 to 4 and 8 to 16 of buffer 1, and 0 to 4 of buffer 3.
Extents sample() { return make_set({{3, 0, 4}, {1, 12, 16}, {1, 0, 4}, {1, 8, 13}, {1, 6, 6}}); }

TEST_CASE("Extents in any order become an ascending set of disjoint extents") {
  CHECK(triples(sample()) == std::vector<Triple>{{1, 0, 4}, {1, 8, 16}, {3, 0, 4}});
  CHECK(make_set({{1, 5, 5}}).empty());
}

TEST_CASE("A set contains ranges within one of its extents, and touches ranges that share a byte with an extent") {
  CHECK(holds(sample(), {1, 9, 16}));
  CHECK(holds(sample(), {2, 7, 7}));
  CHECK_FALSE(holds(sample(), {1, 2, 9}));
  CHECK_FALSE(holds(sample(), {1, 8, 17}));
  CHECK_FALSE(holds(sample(), {2, 0, 1}));
  CHECK(touches(sample(), {1, 3, 8}));
  CHECK_FALSE(touches(sample(), {1, 4, 8}));
  CHECK_FALSE(touches(sample(), {2, 0, 9}));
  CHECK(first_missing(sample(), {1, 8, 17}) == 16);
  CHECK(first_missing(sample(), {1, 7, 17}) == 7);
}

TEST_CASE("An intersection contains the bytes that are in both sets") {
  const Extents other = make_set({{0, 0, 9}, {1, 2, 10}, {1, 11, 12}, {3, 3, 9}});
  const std::vector<Triple> both{{1, 2, 4}, {1, 8, 10}, {1, 11, 12}, {3, 3, 4}};
  CHECK(triples(intersection(sample(), other)) == both);
  CHECK(triples(intersection(other, sample())) == both);
  CHECK(intersection(sample(), {}).empty());
}

TEST_CASE("A difference contains the bytes that are not in the other set") {
  const Extents other = make_set({{0, 0, 9}, {1, 2, 10}, {1, 11, 12}, {3, 0, 9}});
  CHECK(triples(difference(sample(), other)) == std::vector<Triple>{{1, 0, 2}, {1, 10, 11}, {1, 12, 16}});
  CHECK(triples(difference(sample(), {})) == triples(sample()));
  CHECK(difference(sample(), sample()).empty());
}

}  // namespace
}  // namespace nestrt::plan_verify
