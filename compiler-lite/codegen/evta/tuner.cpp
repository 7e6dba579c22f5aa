#include "compiler-lite/codegen/evta/tuner.h"

#include <fmt/core.h>

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
  Tiling tiling;
  uint64_t estimate = 0;
};

// All legal ones.
std::vector<Candidate> candidates(const LayerGenerator& generator, int bus_bytes) {
  const LayerShape& shape = generator.shape();
  std::vector<Candidate> result;
  const auto consider = [&](const Tiling& tiling) {
    const auto estimate = generator.estimate_cycles(tiling, bus_bytes);
    if (estimate) result.push_back({tiling, *estimate});
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

// The costs of the programs that a tiling gives; `best` becomes one of them where it is less.
void measure(const LayerGenerator& generator, Tiling tiling, const TuneOptions& options, TunedTiling& best) {
  for (const uint32_t least : options.least_micro_ops) {
    tiling.least_micro_ops = least;
    const auto program = generator.generate(tiling);
    if (!program) continue;
    ++best.programs;
    const uint64_t cost = options.cost(program->program());
    if (cost == 0 || (best.cost != 0 && cost >= best.cost)) continue;
    best.tiling = tiling;
    best.cost = cost;
  }
}

}  // namespace

Result<TunedTiling> tune(const LayerGenerator& generator, const TuneOptions& options) {
  std::vector<Candidate> legal = candidates(generator, options.bus_bytes);
  if (legal.empty()) {
    return Status(
        Code::kUnsupported,
        fmt::format("layer '{}': not even one output row and column at a time fits the memories of configuration {}",
                    generator.name(), generator.configuration().name));
  }
  std::stable_sort(legal.begin(), legal.end(),
                   [](const Candidate& a, const Candidate& b) { return a.estimate < b.estimate; });
  TunedTiling best = {legal[0].tiling, legal[0].estimate, legal.size(), 0};
  if (!options.cost) return best;
  best.cost = 0;
  legal.resize(std::min(legal.size(), options.most_programs));
  for (const Candidate& candidate : legal) measure(generator, candidate.tiling, options, best);
  if (best.cost == 0) {
    return Status(Code::kUnsupported, fmt::format("layer '{}': none of the {} best tilings makes a legal program",
                                                  generator.name(), best.programs));
  }
  return best;
}

}  // namespace nestrt::compiler::evta
