// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/index_set.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "test/support/test_level.h"

namespace nestrt::evta {
namespace {

std::set<size_t> elements_of(const IndexSet& set) {
  std::set<size_t> elements;
  IndexSet rest = set, none;
  for (size_t at = rest.first_outside(none); at < IndexSet::kCapacity; at = rest.first_outside(none)) {
    elements.insert(at);
    rest.remove_range(at, at + 1);
  }
  return elements;
}

TEST_CASE("Spreading an index over two loops gives the indices that the loops access") {
  std::mt19937 random(1);
  for (int i = 0; i < test::by_level(20, 200, 2000); ++i) {
    const uint32_t outs = 1 + random() % 9, ins = 1 + random() % 9, out = random() % 200, in = random() % 200;
    const size_t shift = random() % 300;
    std::set<size_t> expected;
    for (uint32_t o = 0; o < outs; ++o) {
      for (uint32_t k = 0; k < ins; ++k) expected.insert(shift + o * out + k * in);
    }
    IndexSet set;
    set.add(shift);
    set.spread(outs, out, ins, in);
    REQUIRE(elements_of(set) == expected);
  }
}

TEST_CASE("Ranges are added and removed by their bounds") {
  IndexSet set, other;
  set.add_range(60, 200);
  set.remove_range(64, 129);
  CHECK(elements_of(set).size() == 140 - 65);
  other.add_range(130, 140);
  CHECK(other.first_outside(set) == IndexSet::kCapacity);
  set.remove(other);
  CHECK(other.first_outside(set) == 130);
  set.add(other);
  CHECK(other.first_outside(set) == IndexSet::kCapacity);
  set.add_range(IndexSet::kCapacity - 1, IndexSet::kCapacity);
  CHECK(elements_of(set).contains(IndexSet::kCapacity - 1));
  set.add_range(5, 5);
  CHECK_FALSE(elements_of(set).contains(5));
}

}  // namespace
}  // namespace nestrt::evta
