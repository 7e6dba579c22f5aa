// ChannelRange: a part of what an operator computes, one that several units can compute at the same time.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace nestrt {

// Output channels [begin, end) of an operator; all of them where everything is 0.
//
// The channels of an image lie in blocks of 16, and each block row by row. A part may begin and end within a block: of
// the block that begins with channel `begin` the rows before `begin_row` are no part of it, of the block that begins
// with channel `end` the rows before `end_row` are. Its bytes lie together in any case.
struct ChannelRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t begin_row = 0;
  uint32_t end_row = 0;

  bool all() const { return end == 0 && end_row == 0; }
  // Whether nothing comes before it.
  bool is_first() const { return begin == 0 && begin_row == 0; }
  bool has_whole_blocks() const { return begin_row == 0 && end_row == 0; }
  // One more than the last channel of which it has a row, or that of its block.
  uint32_t last() const { return end_row > 0 ? end + 1 : end; }
  // Whether both have rows of one block. Requires: blocks are whole, but for the last.
  bool has_channels_of(const ChannelRange& other) const {
    return all() || other.all() || (begin < other.last() && other.begin < last());
  }
  auto operator<=>(const ChannelRange&) const = default;
};

}  // namespace nestrt
