// SPDX-License-Identifier: Apache-2.0
// ChannelRange: the slice of an operator's output that one unit computes while others compute the rest.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace nestrt {

// Output channels [begin, end) of an operator; all channels if every member is 0.
//
// An image stores its channels in blocks of 16, and each block row by row. A range may begin and end within a block: it
// excludes the rows before `begin_row` of the block that starts at channel `begin`, and includes the rows before
// `end_row` of the block that starts at channel `end`. Its bytes are always contiguous.
struct ChannelRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t begin_row = 0;
  uint32_t end_row = 0;

  // Returns whether the range covers the whole operator.
  bool all() const { return end == 0 && end_row == 0; }
  // Returns whether the range starts at the first element.
  bool is_first() const { return begin == 0 && begin_row == 0; }
  bool has_whole_blocks() const { return begin_row == 0 && end_row == 0; }
  // Returns the channel after the last one with a row in the range. A partial last block counts as one channel.
  uint32_t last() const { return end_row > 0 ? end + 1 : end; }
  // Returns whether both ranges contain rows of the same block. Requires: all blocks are full, except the last one.
  bool has_channels_of(const ChannelRange& other) const {
    return all() || other.all() || (begin < other.last() && other.begin < last());
  }
  auto operator<=>(const ChannelRange&) const = default;
};

}  // namespace nestrt
