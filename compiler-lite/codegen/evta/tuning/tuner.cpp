// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/tuning/tuner.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace nestrt::compiler::evta {
namespace {

// Returns, for each possible number of parts of `whole`, the smallest part size that gives this number, so that parts
// have similar sizes.
std::vector<int64_t> tile_sizes(int64_t whole) {
  std::vector<int64_t> sizes;
  for (int64_t count = 1; count <= whole; ++count) {
    const int64_t size = ceil_div(whole, count);
    if (sizes.empty() || size != sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

struct Candidate {
  Tiling tiling;
  uint64_t estimate = 0;
};

// Returns all legal tilings.
std::vector<Candidate> candidates(const LayerGenerator& generator, const isa::CycleProfile& profile) {
  const LayerShape& shape = generator.shape();
  std::vector<Candidate> result;
  const auto consider = [&](const Tiling& tiling) {
    const auto estimate = generator.estimate_cycles(tiling, profile);
    if (estimate) result.push_back({tiling, *estimate});
  };
  for (const int64_t rows : tile_sizes(shape.y.output())) {
    for (const int64_t columns : tile_sizes(shape.x.output())) {
      for (const int64_t out_blocks : tile_sizes(shape.group_out_blocks)) {
        for (const int64_t in_blocks : tile_sizes(shape.identity ? 1 : shape.group_in_blocks)) {
          for (const LoopOrder order : {LoopOrder::kPixelsInner, LoopOrder::kBlocksInner}) {
            for (const int threads : {1, 2}) consider({rows, columns, out_blocks, in_blocks, threads, order});
          }
        }
      }
    }
  }
  return result;
}

struct Measured {
  Tiling tiling;
  uint64_t cost = 0;
  uint64_t micro_op_bytes = 0;
};

struct Programs {
  std::vector<Measured> measured;  // eligible candidates
  size_t count = 0;
};

// Measures the candidates that produce programs. The results are in the order of the candidates.
Programs measure(const LayerGenerator& generator, const std::vector<Candidate>& candidates,
                 const TuneOptions& options) {
  std::vector<std::optional<Measured>> made(candidates.size());
  InlineRunner alone;
  ParallelRunner& parallel = options.parallel == nullptr ? alone : *options.parallel;
  parallel.parallel_for(static_cast<int64_t>(candidates.size()), [&](int64_t index, int) {
    const auto at = static_cast<size_t>(index);
    if (const auto program = generator.generate(candidates[at].tiling))
      made[at] = {candidates[at].tiling, options.cost(program->program()), program->counters.uop_bytes};
  });
  Programs programs;
  for (const std::optional<Measured>& each : made) {
    programs.count += each ? 1 : 0;
    if (each && each->cost != 0) programs.measured.push_back(*each);
  }
  return programs;
}

// Requires: not empty.
const Measured& best_of(const std::vector<Measured>& measured) {
  constexpr uint64_t kNear = 500;  // costs within 1/500 of the least count as equal
  const auto cheapest = std::min_element(measured.begin(), measured.end(),
                                         [](const Measured& a, const Measured& b) { return a.cost < b.cost; });
  const Measured* best = &*cheapest;
  for (const Measured& other : measured) {
    if (other.cost - cheapest->cost > cheapest->cost / kNear) continue;
    if (std::pair(other.micro_op_bytes, other.cost) < std::pair(best->micro_op_bytes, best->cost)) best = &other;
  }
  return *best;
}

}  // namespace

Result<TunedTiling> tune(const LayerGenerator& generator, const TuneOptions& options) {
  std::vector<Candidate> legal = candidates(generator, *options.profile);
  if (legal.empty()) {
    return Status(
        Code::kUnsupported,
        fmt::format("layer '{}': a tile of one output row and column does not fit the memories of configuration {}",
                    generator.name(), generator.configuration().name));
  }
  std::stable_sort(legal.begin(), legal.end(),
                   [](const Candidate& a, const Candidate& b) { return a.estimate < b.estimate; });
  TunedTiling best = {legal[0].tiling, legal[0].estimate, legal.size(), 0};
  if (!options.cost) return best;
  legal.resize(std::min(legal.size(), options.most_programs));
  const Programs programs = measure(generator, legal, options);
  best.programs = programs.count;
  if (programs.measured.empty()) {
    return Status(Code::kUnsupported, fmt::format("layer '{}': no legal program among the {} best tilings",
                                                  generator.name(), best.programs));
  }
  best.tiling = best_of(programs.measured).tiling;
  best.cost = best_of(programs.measured).cost;
  return best;
}

}  // namespace nestrt::compiler::evta
