// The tuner: searches the tilings of a layer that are legal for one that costs little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "compiler-lite/codegen/evta/layer/layer_generator.h"
#include "runtime/kernel/parallel.h"

namespace nestrt::compiler::evta {

// Cycles, or anything else of which less is better; 0 for a program that must not be chosen. Threads: any number.
using CostFunction = std::function<uint64_t(const isa::Program& program)>;

struct TuneOptions {
  // Empty: the estimate decides.
  CostFunction cost;
  // So many tilings, those with the smallest estimates, are generated and given to `cost`.
  size_t most_programs = 24;
  // Who makes and measures them, side by side; null: the caller alone. What is chosen is the same.
  ParallelRunner* parallel = nullptr;
  // Whose times the estimate goes by.
  const isa::CycleProfile* profile = isa::find_cycle_profile("hls_zynq7020");
};

struct TunedTiling {
  Tiling tiling;
  uint64_t cost = 0;
  size_t tilings = 0;   // legal ones
  size_t programs = 0;  // those generated and measured
};

// Of the tilings whose costs are within 0.2 % of the least, the one with the fewest micro-ops, which a program has to
// carry and the accelerator to hold. Errors: kUnsupported where not one tiling is legal.
Result<TunedTiling> tune(const LayerGenerator& generator, const TuneOptions& options = {});

}  // namespace nestrt::compiler::evta
