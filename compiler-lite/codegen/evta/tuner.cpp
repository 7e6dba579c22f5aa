#include "compiler-lite/codegen/evta/tuner.h"

#include <algorithm>
#include <string>
#include <utility>

namespace nestrt::compiler::evta {
namespace {

// One size for each number of pieces that `whole` can be cut into: the smallest, so that pieces are of like size.
std::vector<int64_t> tile_sizes(int64_t whole) {
  std::vector<int64_t> sizes;
  for (int64_t count = 1; count <= whole; ++count) {
    const int64_t size = pieces(whole, count);
    if (sizes.empty() || size != sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

struct Candidate {
  Schedule schedule;
  uint64_t estimate = 0;
};

// All legal ones.
std::vector<Candidate> candidates(const LayerGenerator& generator, int bus_bytes) {
  const ConvShape& shape = generator.shape();
  std::vector<Candidate> result;
  const auto consider = [&](const Schedule& schedule) {
    const auto estimate = generator.estimate_cycles(schedule, bus_bytes);
    if (estimate) result.push_back({schedule, *estimate});
  };
  for (const int64_t rows : tile_sizes(shape.y.output())) {
    for (const int64_t columns : tile_sizes(shape.x.output())) {
      for (const int64_t out_blocks : tile_sizes(shape.group_out_blocks)) {
        for (const int64_t in_blocks : tile_sizes(shape.identity ? 1 : shape.group_in_blocks)) {
          for (const LoopOrder order : {LoopOrder::kPixelsInner, LoopOrder::kBlocksInner}) {
            for (const int threads : {1, 2}) consider({rows, columns, out_blocks, in_blocks, threads, order, 1});
          }
        }
      }
    }
  }
  return result;
}

}  // namespace

Result<TunedSchedule> tune(const LayerGenerator& generator, const TuneOptions& options) {
  std::vector<Candidate> legal = candidates(generator, options.bus_bytes);
  if (legal.empty()) {
    return Status(Code::kUnsupported, "layer '" + generator.name() +
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
    return Status(Code::kUnsupported, "layer '" + generator.name() + "': none of the " + std::to_string(best.programs) +
                                          " best schedules makes a legal program");
  }
  return best;
}

}  // namespace nestrt::compiler::evta
