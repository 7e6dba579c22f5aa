// SPDX-License-Identifier: Apache-2.0
// Tiles of a layer's output in the order of a tiling, and the on-chip slots for their inputs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler-lite/codegen/evta/layer/layer_shape.h"
#include "compiler-lite/codegen/evta/layer/tiling.h"
#include "compiler-lite/codegen/evta/program/program_builder.h"
#include "compiler-lite/codegen/evta/program/transfers.h"

namespace nestrt::compiler::evta {

struct Span {
  int64_t first = 0;
  int64_t count = 0;

  bool operator==(const Span&) const = default;
};

// Divides `whole` into spans of `size`; the last one may be smaller.
std::vector<Span> cut(int64_t whole, int64_t size);

struct Tile {
  int64_t image = 0;
  int64_t group = 0;
  Span blocks;  // output blocks, counted over all groups
  Span rows;
  Span columns;

  int64_t pixels() const { return rows.count * columns.count; }
  int64_t elements() const { return blocks.count * pixels(); }
};

// Numbers of tiles and of input-block chunks of a layer; approximate if rows are skipped.
struct TileCounts {
  TileCounts(const LayerShape& shape, const Tiling& tiling);

  int64_t pixel_tiles;  // by rows and columns
  int64_t out_tiles;    // by output blocks
  int64_t chunks;       // per tile
  int64_t tiles;
  int64_t inputs;  // distinct contents of INP
};

// `tiling` must come from limited().
std::vector<Tile> tiles_of(const LayerShape& shape, const Tiling& tiling);

// Returns the length of the input that `outputs` outputs read along one axis, including padding, and its extent in the
// input. If `skip` is set, rows that a kernel of one row steps over are not counted.
int64_t input_size(const LayerAxis& axis, int64_t outputs, bool skip);
Extent input_extent(const LayerAxis& axis, const Span& outputs, bool skip);
inline Extent whole_extent(const Span& span) { return {.first = span.first, .count = span.count}; }

// Identifies the contents of a slot. The caller chooses the numbers.
using ContentKey = std::array<int64_t, 8>;

// A fixed number of slots that are filled round-robin.
class SlotRing {
 public:
  explicit SlotRing(int64_t count) : slots_(static_cast<size_t>(count)) {}

  struct Use {
    int64_t slot = 0;
    bool must_load = true;
    std::optional<InstructionId>
        last_reader;  // last reader of the replaced contents; not set if nothing is loaded or the slot is unused
  };
  Use acquire(const ContentKey& key);
  // `reader` is the latest instruction that reads the slot.
  void read_by(int64_t slot, InstructionId reader) { slots_[static_cast<size_t>(slot)].last_reader = reader; }

 private:
  struct Slot {
    std::optional<ContentKey> key;
    std::optional<InstructionId> last_reader;
  };
  std::vector<Slot> slots_;
  size_t next_ = 0;
};

}  // namespace nestrt::compiler::evta
