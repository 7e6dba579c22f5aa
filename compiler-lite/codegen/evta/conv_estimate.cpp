#include "compiler-lite/codegen/evta/conv_estimate.h"

#include "compiler-lite/codegen/evta/tiles.h"

namespace nestrt::compiler::evta {
namespace {

// The numbers of tiles and chunks that a schedule makes, over the whole layer.
struct Counts {
  int64_t pixel_tiles, out_tiles, chunks, tiles;

  Counts(const ConvShape& shape, const Schedule& schedule)
      : pixel_tiles(shape.images * pieces(shape.y.output(), schedule.rows) *
                    pieces(shape.x.output(), schedule.columns)),
        out_tiles(shape.groups * pieces(shape.group_out_blocks, schedule.out_blocks)),
        chunks(shape.identity ? 1 : pieces(shape.group_in_blocks, schedule.in_blocks)),
        tiles(pixel_tiles * out_tiles) {}
};

int64_t steps_cost(const std::vector<FinishStep>& steps) {
  int64_t cost = 0;
  for (const FinishStep& step : steps) cost += step.immediate ? 1 : 2;
  return cost;
}

// Elements of INP and WGT that are loaded in all, from what stays on chip between tiles.
struct Traffic {
  int64_t inp, wgt;

  Traffic(const ConvShape& shape, const Schedule& schedule, const ConvMemory& memory, const Counts& counts) {
    const int64_t tile =
        schedule.in_blocks * input_size(shape.y, schedule.rows, true) * input_size(shape.x, schedule.columns, false);
    const int64_t distinct = counts.pixel_tiles * (shape.identity ? counts.out_tiles : shape.groups * counts.chunks);
    const bool pixels_inner = schedule.order == LoopOrder::kPixelsInner;
    const bool inputs_stay = memory.inp.count == distinct || (!pixels_inner && counts.chunks == 1);
    inp = tile * (inputs_stay ? distinct : counts.tiles * counts.chunks);
    const bool weights_stay =
        memory.wgt.count == counts.out_tiles * counts.chunks || (pixels_inner && counts.chunks == 1);
    wgt = shape.weight_elements() * (weights_stay ? 1 : counts.pixel_tiles);
  }
};

}  // namespace

int64_t finish_cost(const Finish& finish, bool residual) {
  const int64_t begin = (finish.clears_results ? 1 : 0) + (finish.preload ? steps_cost({*finish.preload}) : 0);
  return begin + (residual ? 1 : 0) + steps_cost(finish.steps) + steps_cost(finish.steps_after_residual);
}

CycleEstimate estimate_conv(const isa::Configuration& configuration, const ConvShape& shape, const ConvCosts& costs,
                            const Schedule& schedule, const ConvMemory& memory, int bus_bytes) {
  const Counts counts(shape, schedule);
  const Traffic traffic(shape, schedule, memory, counts);
  const auto beats = [&](int64_t elements, int bytes) { return elements * bytes / bus_bytes; };
  const int64_t chunks = counts.tiles * counts.chunks;
  CycleEstimate estimate;
  estimate.computing = shape.gemms() + shape.output_elements() * costs.per_output +
                       (chunks + counts.tiles * (2 + costs.steps)) * CycleEstimate::kInstruction;
  estimate.loading = beats(traffic.inp + (costs.residual ? shape.output_elements() : 0), configuration.inp_bytes()) +
                     beats(traffic.wgt, configuration.wgt_bytes()) + 2 * chunks * CycleEstimate::kTransfer;
  estimate.storing = beats(shape.output_elements(), configuration.out_bytes());
  estimate.first_load =
      beats(memory.inp.size, configuration.inp_bytes()) + beats(memory.wgt.size, configuration.wgt_bytes());
  estimate.last_store = estimate.storing / counts.tiles;
  return estimate;
}

}  // namespace nestrt::compiler::evta
