// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/layer/conv_estimate.h"

#include <algorithm>

#include "compiler-lite/codegen/evta/layer/tiles.h"

namespace nestrt::compiler::evta {
namespace {

using isa::Memory;

// Amounts moved by one load of an INP or WGT chunk and by one store of a tile.
struct Chunk {
  Moves input, weights, output;

  Chunk(const LayerShape& shape, const Tiling& tiling) {
    const int64_t rows = std::min(input_size(shape.y, tiling.rows, true), shape.y.input);
    input = {tiling.in_blocks, tiling.in_blocks * rows,
             tiling.in_blocks * rows * input_size(shape.x, tiling.columns, false)};
    const int64_t weight_rows = tiling.in_blocks == shape.group_in_blocks ? 1 : tiling.out_blocks;
    weights = {1, weight_rows, tiling.out_blocks * tiling.in_blocks * shape.taps()};
    const bool whole_rows = tiling.columns == shape.x.output();
    output = {tiling.out_blocks, tiling.out_blocks * (whole_rows ? 1 : tiling.rows),
              tiling.out_blocks * tiling.rows * tiling.columns};
  }
};

// Number of chunk loads, given what stays on chip between tiles.
struct Loads {
  int64_t inputs, weights;

  Loads(const Tiling& tiling, const ConvMemory& memory, const TileCounts& counts, bool identity) {
    const bool pixels_inner = tiling.order == LoopOrder::kPixelsInner;
    const bool inputs_stay = memory.inp.count == counts.inputs || (!pixels_inner && counts.chunks == 1);
    inputs = inputs_stay ? counts.inputs : counts.tiles * counts.chunks;
    const bool weights_stay =
        memory.wgt.count == counts.out_tiles * counts.chunks || (pixels_inner && counts.chunks == 1);
    weights = identity ? 0 : counts.out_tiles * counts.chunks * (weights_stay ? 1 : counts.pixel_tiles);
  }
};

int64_t steps_cost(const ConvWork& work, const std::vector<FinishStep>& steps, int64_t tiles) {
  const isa::CycleProfile& profile = work.profile;
  int64_t cost = 0;
  const auto add = [&](const isa::CycleProfile::Unit& unit) {
    cost += cycles_of(profile, unit, tiles, work.shape.output_elements());
  };
  for (const FinishStep& step : steps) {
    add(step.immediate ? profile.alu_immediate : profile.alu_tensor);
    if (step.form == StepForm::kMake) add(profile.gemm_reset);
  }
  return cost;
}

int64_t computing(const ConvWork& work, const TileCounts& counts) {
  const isa::CycleProfile& profile = work.profile;
  const Finish& finish = work.finish;
  const int64_t outputs = work.shape.output_elements();
  int64_t cost = cycles_of(profile, profile.gemm, counts.tiles * counts.chunks, work.shape.gemms());
  if (finish.clears_results) cost += cycles_of(profile, profile.gemm_reset, counts.tiles, outputs);
  if (finish.preload) cost += steps_cost(work, {*finish.preload}, counts.tiles);
  if (work.residual) cost += cycles_of(profile, profile.gemm, counts.tiles, outputs);
  if (finish.next_byte) cost += (finish.stores() - 1) * steps_cost(work, {*finish.next_byte}, counts.tiles);
  return cost + steps_cost(work, finish.steps, counts.tiles) +
         steps_cost(work, finish.steps_after_residual, counts.tiles);
}

}  // namespace

CycleEstimate estimate_conv(const ConvWork& work, const Tiling& tiling, const ConvMemory& memory) {
  const TileCounts counts(work.shape, tiling);
  const Loads loads(tiling, memory, counts, work.shape.identity);
  const Chunk chunk(work.shape, tiling);
  const auto cycles = [&](Memory of, const Moves& moves) {
    return cycles_of(work.profile, work.configuration, of, moves);
  };
  const int64_t input = cycles(Memory::kInp, chunk.input);
  const int64_t weights = work.shape.identity ? 0 : cycles(Memory::kWgt, chunk.weights);
  const int64_t all_weights = work.shape.weight_elements() * loads.weights / (counts.out_tiles * counts.chunks);
  CycleEstimate estimate;
  estimate.computing = computing(work, counts);
  estimate.loading = loads.inputs * input +
                     cycles(Memory::kWgt, {loads.weights, loads.weights * chunk.weights.rows, all_weights}) +
                     (work.residual ? counts.tiles * cycles(Memory::kInp, chunk.output) : 0);
  estimate.last_store = cycles(Memory::kOut, chunk.output);
  const int64_t stores = counts.tiles * work.finish.stores();
  estimate.storing = stores * estimate.last_store;
  // The next byte replaces the previous one only after the previous one is stored.
  if (tiling.threads > 1) estimate.computing += (stores - counts.tiles) * estimate.last_store;
  estimate.first_load = input + weights;
  return estimate;
}

}  // namespace nestrt::compiler::evta
