#include "compiler-lite/codegen/evta/conv_memory.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "compiler-lite/codegen/evta/loop_nest.h"
#include "compiler-lite/codegen/evta/tiles.h"

namespace nestrt::compiler::evta {
namespace {

constexpr int64_t kMostChunks = 32;  // that stay on chip: each needs micro-ops of its own

Status too_large(std::string_view memory, int64_t wanted, int64_t available) {
  return Status(Code::kUnsupported, "the schedule needs " + std::to_string(wanted) + " elements of " +
                                        std::string(memory) + ", the configuration has " + std::to_string(available));
}

Result<Slots> make_slots(std::string_view memory, int64_t base, int64_t depth, int64_t size, int64_t chunks,
                         int threads) {
  Slots slots = {base, size, std::min<int64_t>(threads, chunks)};
  if (chunks <= kMostChunks && base + chunks * size <= depth) slots.count = chunks;
  if (base + slots.count * size > depth) return too_large(memory, base + slots.count * size, depth);
  return slots;
}

}  // namespace

int64_t copies_of(int64_t tile_elements) {
  return tile_elements >= kHazardDistance ? 1 : pieces(kHazardDistance, tile_elements);
}

Result<Schedule> limited(const ConvShape& shape, Schedule schedule) {
  if (std::min({schedule.rows, schedule.columns, schedule.out_blocks, schedule.in_blocks}) < 1 ||
      schedule.threads < 1 || schedule.threads > 2) {
    return Status(Code::kInvalidArgument,
                  "a schedule with empty tiles or other than 1 or 2 threads: " + to_string(schedule));
  }
  schedule.rows = std::min(schedule.rows, shape.y.output());
  schedule.columns = std::min(schedule.columns, shape.x.output());
  schedule.out_blocks = std::min(schedule.out_blocks, shape.group_out_blocks);
  schedule.in_blocks = shape.identity ? schedule.out_blocks : std::min(schedule.in_blocks, shape.group_in_blocks);
  return schedule;
}

Result<ConvMemory> divide_memory(const nestrt::evta::Configuration& configuration, const ConvShape& shape,
                                 const Schedule& schedule, int num_vectors, bool residual) {
  ConvMemory memory;
  memory.identities = (residual ? 1 : 0) + (shape.identity ? 1 : 0);
  const int64_t acc_depth = configuration.acc_depth(), inp_depth = configuration.inp_depth();
  const int64_t pixels = schedule.rows * schedule.columns, tile = pixels * schedule.out_blocks;
  const int64_t out_tiles = shape.groups * pieces(shape.group_out_blocks, schedule.out_blocks);
  const int64_t pixel_tiles =
      pieces(shape.y.output(), schedule.rows) * pieces(shape.x.output(), schedule.columns) * shape.images;
  const int64_t chunks = shape.identity ? 1 : pieces(shape.group_in_blocks, schedule.in_blocks);

  memory.vectors_stay = num_vectors * shape.out_blocks() <= acc_depth / 4;
  memory.vector_blocks = memory.vectors_stay ? shape.out_blocks() : schedule.out_blocks;
  const int64_t small = std::min<int64_t>(tile, kHazardDistance - 1);  // the last tile of an axis may be this small
  memory.acc = {num_vectors * memory.vector_blocks, std::max(tile, small * copies_of(small)),
                std::min<int64_t>(schedule.threads, out_tiles * pixel_tiles)};
  if (memory.acc.at(memory.acc.count) > acc_depth) return too_large("ACC", memory.acc.at(memory.acc.count), acc_depth);

  const int64_t rows = input_size(shape.y, schedule.rows, true);
  const int64_t input = schedule.in_blocks * rows * input_size(shape.x, schedule.columns, false);
  if (residual) {
    memory.inp = {0, inp_depth / schedule.threads, schedule.threads};
    if (std::max(input, pixels) > memory.inp.size) return too_large("INP", std::max(input, pixels), memory.inp.size);
  } else {
    const int64_t inputs = pixel_tiles * (shape.identity ? out_tiles : shape.groups * chunks);
    NESTRT_ASSIGN_OR_RETURN(memory.inp, make_slots("INP", 0, inp_depth, input, inputs, schedule.threads));
  }
  const int64_t weights = shape.identity ? 0 : schedule.out_blocks * schedule.in_blocks * shape.taps();
  NESTRT_ASSIGN_OR_RETURN(memory.wgt, make_slots("WGT", memory.identities, configuration.wgt_depth(), weights,
                                                 out_tiles * chunks, schedule.threads));
  return memory;
}

}  // namespace nestrt::compiler::evta
