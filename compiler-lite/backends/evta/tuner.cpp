#include "compiler-lite/backends/evta/tuner.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler-lite/backends/evta/tiles.h"

namespace nestrt::compiler::evta {
namespace {

constexpr uint64_t kInstructionCycles = 8;  // to fill and drain a pipeline
constexpr uint64_t kTransferCycles = 20;    // until the first beat of a transfer

// One size for each number of pieces that `whole` can be cut into: the smallest, so that pieces are of like size.
std::vector<int64_t> tile_sizes(int64_t whole) {
  std::vector<int64_t> sizes;
  for (int64_t count = 1; count <= whole; ++count) {
    const int64_t size = pieces(whole, count);
    if (sizes.empty() || size != sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

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

// Cycles of the compute module for each element of the output.
int64_t finish_cost(const ConvGenerator& generator) {
  const Finish& finish = generator.finish();
  int64_t cost = finish.clears_results ? 1 : 0;
  if (finish.preload) cost += steps_cost({*finish.preload});
  if (generator.layer().residual) cost += 1;
  return cost + steps_cost(finish.steps) + steps_cost(finish.steps_after_residual);
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

struct Candidate {
  Schedule schedule;
  uint64_t estimate = 0;
};

// All legal ones.
std::vector<Candidate> candidates(const ConvGenerator& generator, int bus_bytes) {
  const ConvShape& shape = generator.shape();
  const auto vectors = static_cast<int>(generator.finish().vectors.size());
  std::vector<Candidate> result;
  const auto consider = [&](const Schedule& schedule) {
    const auto memory =
        divide_memory(generator.configuration(), shape, schedule, vectors, generator.layer().residual.has_value());
    if (memory) result.push_back({schedule, estimate_cycles(generator, schedule, *memory, bus_bytes)});
  };
  for (const int64_t rows : tile_sizes(shape.y.output())) {
    for (const int64_t columns : tile_sizes(shape.x.output())) {
      for (const int64_t out_blocks : tile_sizes(shape.group_out_blocks)) {
        for (const int64_t in_blocks : tile_sizes(shape.identity ? 1 : shape.group_in_blocks)) {
          for (const LoopOrder order : {LoopOrder::kPixelsInner, LoopOrder::kBlocksInner}) {
            const int64_t inputs = shape.identity ? out_blocks : in_blocks;
            for (const int threads : {1, 2}) consider({rows, columns, out_blocks, inputs, threads, order, 1});
          }
        }
      }
    }
  }
  return result;
}

}  // namespace

uint64_t estimate_cycles(const ConvGenerator& generator, const Schedule& schedule, const ConvMemory& memory,
                         int bus_bytes) {
  const ConvShape& shape = generator.shape();
  const isa::Configuration& configuration = generator.configuration();
  const Counts counts(shape, schedule);
  const Traffic traffic(shape, schedule, memory, counts);
  const auto beats = [&](int64_t elements, int element_bytes) {
    return static_cast<uint64_t>(elements) * static_cast<uint64_t>(element_bytes) / static_cast<uint64_t>(bus_bytes);
  };
  const bool residual = generator.layer().residual.has_value();
  const auto steps = static_cast<uint64_t>(counts.tiles * counts.chunks);
  const uint64_t instructions =
      steps + static_cast<uint64_t>(counts.tiles) *
                  (2 + generator.finish().steps.size() + generator.finish().steps_after_residual.size());
  const uint64_t computing = static_cast<uint64_t>(shape.gemms() + shape.output_elements() * finish_cost(generator)) +
                             instructions * kInstructionCycles;
  const uint64_t loading = beats(traffic.inp + (residual ? shape.output_elements() : 0), configuration.inp_bytes()) +
                           beats(traffic.wgt, configuration.wgt_bytes()) + 2 * steps * kTransferCycles;
  const uint64_t storing = beats(shape.output_elements(), configuration.out_bytes());
  const uint64_t first_load =
      beats(memory.inp.size, configuration.inp_bytes()) + beats(memory.wgt.size, configuration.wgt_bytes());
  const uint64_t last_store = storing / static_cast<uint64_t>(counts.tiles);
  if (schedule.threads == 1) return computing + loading + storing;
  return std::max(computing + first_load + last_store, loading + storing);
}

Result<TunedSchedule> tune(const ConvGenerator& generator, const TuneOptions& options) {
  std::vector<Candidate> legal = candidates(generator, options.bus_bytes);
  if (legal.empty()) {
    return Status(Code::kUnsupported, "layer '" + generator.layer().name +
                                          "': not even one output row and column at a "
                                          "time fits the memories of configuration " +
                                          std::string(generator.configuration().name));
  }
  std::stable_sort(legal.begin(), legal.end(),
                   [](const Candidate& a, const Candidate& b) { return a.estimate < b.estimate; });
  TunedSchedule best = {legal[0].schedule, legal[0].estimate, legal.size(), 0};
  if (!options.cost) return best;
  best.cost = 0;
  legal.resize(std::min(legal.size(), options.most_programs));
  for (Candidate& candidate : legal) {
    for (const uint32_t least : options.least_micro_ops) {
      candidate.schedule.least_micro_ops = least;
      const auto program = generator.generate(candidate.schedule);
      if (!program) continue;
      ++best.programs;
      const uint64_t cost = options.cost(program->program());
      if (cost != 0 && (best.cost == 0 || cost < best.cost)) {
        best.schedule = candidate.schedule;
        best.cost = cost;
      }
    }
  }
  if (best.cost == 0) {
    return Status(Code::kUnsupported, "layer '" + generator.layer().name + "': none of the " +
                                          std::to_string(best.programs) + " best schedules makes a legal program");
  }
  return best;
}

}  // namespace nestrt::compiler::evta
