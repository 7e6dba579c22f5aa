#include "compiler-lite/codegen/evta/conv_estimate.h"

#include "compiler-lite/codegen/evta/tiles.h"

namespace nestrt::compiler::evta {
namespace {

int64_t steps_cost(const std::vector<FinishStep>& steps) {
  int64_t cost = 0;
  for (const FinishStep& step : steps) cost += step.immediate ? 1 : 2;
  return cost;
}

// Elements of INP and WGT that are loaded in all, from what stays on chip between tiles.
struct Traffic {
  int64_t inp, wgt;

  Traffic(const LayerShape& shape, const Tiling& tiling, const ConvMemory& memory, const TileCounts& counts) {
    const int64_t tile =
        tiling.in_blocks * input_size(shape.y, tiling.rows, true) * input_size(shape.x, tiling.columns, false);
    const bool pixels_inner = tiling.order == LoopOrder::kPixelsInner;
    const bool inputs_stay = memory.inp.count == counts.inputs || (!pixels_inner && counts.chunks == 1);
    inp = tile * (inputs_stay ? counts.inputs : counts.tiles * counts.chunks);
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

CycleEstimate estimate_conv(const isa::Configuration& configuration, const LayerShape& shape, const ConvCosts& costs,
                            const Tiling& tiling, const ConvMemory& memory, int bus_bytes) {
  const TileCounts counts(shape, tiling);
  const Traffic traffic(shape, tiling, memory, counts);
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
