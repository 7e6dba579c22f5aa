// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/channels.h"

#include <catch2/catch.hpp>

namespace nestrt::test {
namespace {

TEST_CASE("A slice consists of whole blocks, except the last one, or ends at a row of a block") {
  for (const ChannelRange part : {ChannelRange{0, 16},
                                  {0, 40},
                                  {16, 40},
                                  {32, 40},
                                  {0, 0, 0, 3},
                                  {0, 16, 2, 0},
                                  {16, 16, 2, 4},
                                  {0, 32, 4, 4},
                                  {32, 32, 0, 1},
                                  {32, 40, 1, 0}})
    CHECK(is_part(40, 5, part));
  for (const ChannelRange part : {ChannelRange{},
                                  {8, 40},
                                  {0, 24},
                                  {16, 16},
                                  {32, 16},
                                  {40, 40},
                                  {48, 64},
                                  {0, 48},
                                  {0, 40, 0, 1},
                                  {0, 16, 5, 0},
                                  {0, 16, 0, 5},
                                  {16, 16, 2, 2},
                                  {16, 16, 3, 2},
                                  {40, 40, 0, 1},
                                  {16, 0, 0, 1}})
    CHECK_FALSE(is_part(40, 5, part));
  CHECK(is_part(40, 1, {16, 40}));
  CHECK_FALSE(is_part(40, 1, {16, 40, 1, 0}));
  CHECK_FALSE(is_part(40, 1, {0, 16, 0, 1}));
}

TEST_CASE("A slice consists of rows of its first block, whole blocks, and rows of the next block") {
  using Rectangles = std::vector<ChannelRows>;
  CHECK(rectangles_of(40, 5, {}) == Rectangles{{0, 40}});
  CHECK(rectangles_of(40, 5, {16, 40}) == Rectangles{{16, 40}});
  CHECK(rectangles_of(40, 5, {0, 32, 2, 3}) == Rectangles{{0, 16, 2, 5}, {16, 32}, {32, 40, 0, 3}});
  CHECK(rectangles_of(40, 5, {16, 32, 2, 0}) == Rectangles{{16, 32, 2, 5}});
  CHECK(rectangles_of(40, 5, {0, 16, 4, 1}) == Rectangles{{0, 16, 4, 5}, {16, 32, 0, 1}});
  CHECK(rectangles_of(40, 5, {32, 32, 1, 2}) == Rectangles{{32, 40, 1, 2}});
  CHECK(rectangles_of(40, 5, {0, 0, 0, 2}) == Rectangles{{0, 16, 0, 2}});
}

TEST_CASE("The shares of an output's slices add up to 1") {
  const Shape output{1, 64, 5, 6};
  CHECK(share_of(output, {}) == 1);
  CHECK(share_of(output, {0, 16}) == Approx(0.25));
  CHECK(share_of(output, {0, 16, 0, 3}) + share_of(output, {16, 48, 3, 2}) + share_of(output, {48, 64, 2, 0}) ==
        Approx(1));
}

TEST_CASE("Slices share channels if both have rows of the same block") {
  CHECK(ChannelRange{0, 16, 0, 3}.has_channels_of({16, 32, 3, 0}));
  CHECK(ChannelRange{16, 32, 3, 0}.has_channels_of({0, 16, 0, 3}));
  CHECK_FALSE(ChannelRange{0, 16}.has_channels_of({16, 32, 3, 0}));
  CHECK_FALSE(ChannelRange{32, 48}.has_channels_of({0, 16, 0, 3}));
  CHECK(ChannelRange{}.has_channels_of({16, 32}));
}

TEST_CASE("A slice is printed with its rows if it has incomplete blocks") {
  CHECK(to_string({16, 64}) == "16-64");
  CHECK(to_string({16, 48, 5, 10}) == "16:5-48:10");
  CHECK(to_string({0, 16, 0, 3}) == "0:0-16:3");
}

}  // namespace
}  // namespace nestrt::test
