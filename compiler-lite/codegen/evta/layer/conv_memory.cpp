// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/conv_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "compiler-lite/codegen/evta/layer/tiles.h"
#include "compiler-lite/codegen/evta/program/loop_nest.h"

namespace nestrt::compiler::evta {
namespace {

constexpr int64_t kMaxChunks = 32;  // maximum number of chunks that stay on chip; each needs separate micro-ops

Status too_large(std::string_view memory, int64_t wanted, int64_t available) {
  return Status(Code::kUnsupported, fmt::format("the tiling needs {} elements of {}, but the configuration has {}",
                                                wanted, memory, available));
}

Result<Slots> make_slots(std::string_view memory, int64_t base, int64_t depth, int64_t size, int64_t chunks,
                         int threads) {
  Slots slots = {base, size, std::min<int64_t>(threads, chunks)};
  if (chunks <= kMaxChunks && base + chunks * size <= depth) slots.count = chunks;
  if (base + slots.count * size > depth) return too_large(memory, base + slots.count * size, depth);
  return slots;
}

// If there is a residual, its parts alternate with the chunks of the input, so each thread gets an equal share.
Result<Slots> input_slots(int64_t depth, const LayerShape& shape, const Tiling& tiling, const TileCounts& counts,
                          bool residual) {
  const int64_t rows = input_size(shape.y, tiling.rows, true);
  const int64_t input = tiling.in_blocks * rows * input_size(shape.x, tiling.columns, false);
  if (!residual) return make_slots("INP", 0, depth, input, counts.inputs, tiling.threads);
  const Slots slots = {0, depth / tiling.threads, tiling.threads};
  const int64_t most = std::max(input, tiling.rows * tiling.columns);
  return most > slots.size ? too_large("INP", most, slots.size) : Result<Slots>(slots);
}

}  // namespace

int64_t copies_of(int64_t tile_elements) {
  return tile_elements >= kHazardDistance ? 1 : ceil_div(kHazardDistance, tile_elements);
}

Result<Tiling> limited(const LayerShape& shape, Tiling tiling) {
  if (std::min({tiling.rows, tiling.columns, tiling.out_blocks, tiling.in_blocks}) < 1 || tiling.threads < 1 ||
      tiling.threads > 2) {
    return Status(
        Code::kInvalidArgument,
        fmt::format("invalid tiling: expected non-empty tiles and 1 or 2 threads, got {}", to_string(tiling)));
  }
  tiling.rows = std::min(tiling.rows, shape.y.output());
  tiling.columns = std::min(tiling.columns, shape.x.output());
  tiling.out_blocks = std::min(tiling.out_blocks, shape.group_out_blocks);
  tiling.in_blocks = shape.identity ? tiling.out_blocks : std::min(tiling.in_blocks, shape.group_in_blocks);
  return tiling;
}

Result<ConvMemory> divide_memory(const nestrt::evta::Configuration& configuration, const LayerShape& shape,
                                 const Tiling& tiling, const ConvExtras& extras) {
  ConvMemory memory;
  const TileCounts counts(shape, tiling);
  const int64_t acc_depth = configuration.acc_depth(), tile = tiling.rows * tiling.columns * tiling.out_blocks;
  memory.vectors_stay = extras.num_vectors * shape.out_blocks() <= acc_depth / 4;
  memory.vector_blocks = memory.vectors_stay ? shape.out_blocks() : tiling.out_blocks;
  const int64_t small = std::min<int64_t>(tile, kHazardDistance - 1);  // the last tile of an axis may be this small
  memory.acc = {extras.num_vectors * memory.vector_blocks, std::max(tile, small * copies_of(small)),
                std::min<int64_t>(tiling.threads, counts.tiles)};
  memory.copy = memory.acc.at(memory.acc.count);
  const int64_t acc_end = memory.copy + (extras.copies_tile ? tile : 0);
  if (acc_end > acc_depth) return too_large("ACC", acc_end, acc_depth);

  NESTRT_ASSIGN_OR_RETURN(memory.inp, input_slots(configuration.inp_depth(), shape, tiling, counts, extras.residual));

  memory.identities = (extras.residual ? 1 : 0) + (shape.identity ? 1 : 0);
  const int64_t weights = shape.identity ? 0 : tiling.out_blocks * tiling.in_blocks * shape.taps();
  NESTRT_ASSIGN_OR_RETURN(memory.wgt, make_slots("WGT", memory.identities, configuration.wgt_depth(), weights,
                                                 counts.out_tiles * counts.chunks, tiling.threads));
  return memory;
}

}  // namespace nestrt::compiler::evta
