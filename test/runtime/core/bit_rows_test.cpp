// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/bit_rows.h"

#include <catch2/catch.hpp>

namespace nestrt {
namespace {

TEST_CASE("Rows of bits start empty or full and are independent") {
  BitRows rows(2, 70), full(1, 70, true);
  rows.add(1, 69);
  CHECK(rows.contains(1, 69));
  CHECK_FALSE(rows.contains(0, 69));
  CHECK_FALSE(rows.contains(1, 5));
  CHECK(full.contains(0, 69));
}

TEST_CASE("Rows of bits unite, intersect and compare as sets") {
  BitRows rows(3, 70);
  rows.add(0, 3);
  rows.add(0, 69);
  rows.add(1, 69);
  CHECK(is_subset(rows.row(1), rows.row(0)));
  CHECK_FALSE(is_subset(rows.row(0), rows.row(1)));
  rows.unite(2, rows.row(0));
  CHECK(rows.contains(2, 3));
  rows.intersect(2, rows.row(1));
  CHECK_FALSE(rows.contains(2, 3));
  CHECK(rows.contains(2, 69));
}

}  // namespace
}  // namespace nestrt
