// The tuner: searches the tilings of a layer that are legal for one that costs little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "compiler-lite/codegen/evta/layer_generator.h"

namespace nestrt::compiler::evta {

// Cycles, or anything else of which less is better; 0 for a program that must not be chosen.
using CostFunction = std::function<uint64_t(const isa::Program& program)>;

struct TuneOptions {
  // Empty: the estimate decides.
  CostFunction cost;
  // So many tilings, those with the smallest estimates, are generated and given to `cost`.
  size_t most_programs = 24;
  // What instructions of one micro-op and of more cost the same on; see Tiling::least_micro_ops.
  std::vector<uint32_t> least_micro_ops = {1};
  int bus_bytes = 8;  // that DRAM moves in a cycle, for the estimate
};

struct TunedTiling {
  Tiling tiling;
  uint64_t cost = 0;
  size_t tilings = 0;   // legal ones
  size_t programs = 0;  // those generated and measured
};

// Errors: kUnsupported where not one tiling is legal.
Result<TunedTiling> tune(const LayerGenerator& generator, const TuneOptions& options = {});

}  // namespace nestrt::compiler::evta
