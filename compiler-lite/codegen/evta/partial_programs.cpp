// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/partial_programs.h"

#include <algorithm>
#include <set>

namespace nestrt::compiler::evta {
namespace {

// With several units, shares vary in steps of 1/6 of the single-unit step.
constexpr int64_t kStepsOfShare = 6;

// Numbers the rows of all blocks consecutively, as "lines".
class Lines {
 public:
  explicit Lines(const Divisible& layer) : layer_(layer) {}

  int64_t count() const { return (layer_.channels + layer_.block - 1) / layer_.block * layer_.rows; }
  // Returns the last line, at most `line`, at which the rest of the block is a whole number of host tiles or the whole
  // block.
  int64_t before_tiles(int64_t line) const {
    const int64_t row = line % layer_.rows, beyond = (layer_.rows - row) % layer_.host_rows;
    return row == 0 || beyond == 0 ? line : line - std::min(row, layer_.host_rows - beyond);
  }
  ChannelRange range(int64_t begin, int64_t end) const {
    return {channel_of(begin), channel_of(end), row_of(begin), row_of(end)};
  }

 private:
  uint32_t channel_of(int64_t line) const {
    return static_cast<uint32_t>(std::min(line / layer_.rows * layer_.block, layer_.channels));
  }
  uint32_t row_of(int64_t line) const { return static_cast<uint32_t>(line % layer_.rows); }

  const Divisible& layer_;
};

int64_t nearest(int64_t whole, int64_t part, int64_t parts) { return (2 * whole * part + parts) / (2 * parts); }

// Returns the numbers of shares, out of `shares`, that `units` units may leave to a CPU whose speed is between a
// quarter of one unit's speed and one unit's speed. 0 is always included.
std::vector<int64_t> shares_left(int64_t shares, int64_t units) {
  std::vector<int64_t> result{0};
  for (int64_t left = std::max<int64_t>(1, shares / (4 * units + 1)); left * (units + 1) < shares + units + 1; ++left)
    result.push_back(left);
  return result;
}

struct Share {
  int64_t part = 0, whole = 1;
};

void add_even_parts(const Lines& lines, const Share& share, int64_t units, std::set<ChannelRange>& ranges) {
  const int64_t end = nearest(lines.count(), share.part, share.whole);
  for (int64_t unit = 0; unit < units; ++unit) {
    const int64_t first = nearest(end, unit, units), last = nearest(end, unit + 1, units);
    if (first < last && last - first < lines.count()) ranges.insert(lines.range(first, last));
  }
}

// If there are fewer blocks than shares, adds a range for each share that is not close to a whole number of blocks.
void add_parts_within_blocks(const Divisible& layer, int count, std::set<ChannelRange>& ranges) {
  const Lines lines(layer);
  const int64_t shares = count + 1;
  if (layer.rows == 1 || layer.channels <= layer.block || lines.count() >= shares * layer.rows) return;
  for (int64_t share = 1; share < shares; ++share) {
    const int64_t wanted = nearest(lines.count(), share, shares), end = lines.before_tiles(wanted);
    const int64_t row = wanted % layer.rows, to_block = std::min(row, layer.rows - row);
    if (2 * shares * to_block > lines.count() && end > 0) ranges.insert(lines.range(0, end));
  }
}

}  // namespace

std::vector<int64_t> partial_channels(int64_t channels, int64_t block, int count) {
  std::vector<int64_t> result;
  for (int64_t share = 1; share <= count; ++share) {
    // channels * share / (count + 1), rounded to whole blocks; half a block rounds up.
    const int64_t shares = count + 1;
    const int64_t nearest = (2 * channels * share + block * shares) / (2 * block * shares) * block;
    if (nearest > 0 && nearest < channels && (result.empty() || nearest != result.back())) result.push_back(nearest);
  }
  return result;
}

std::vector<ChannelRange> partial_ranges(const Divisible& layer, int count, int instances) {
  std::set<ChannelRange> ranges;
  for (const int64_t channels : partial_channels(layer.channels, layer.block, count))
    ranges.insert({0, static_cast<uint32_t>(channels)});
  add_parts_within_blocks(layer, count, ranges);
  for (int64_t units = 2; !ranges.empty() && units <= instances; ++units) {
    const int64_t shares = kStepsOfShare * (count + 1) / units;
    for (const int64_t left : shares_left(shares, units))
      add_even_parts(Lines(layer), {shares - left, shares}, units, ranges);
  }
  return {ranges.begin(), ranges.end()};
}

}  // namespace nestrt::compiler::evta
