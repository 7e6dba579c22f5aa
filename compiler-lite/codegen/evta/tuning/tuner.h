// SPDX-License-Identifier: Apache-2.0
// The tuner: searches the legal tilings of a layer for one with low cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "compiler-lite/codegen/evta/layer/layer_generator.h"
#include "runtime/kernel/parallel.h"

namespace nestrt::compiler::evta {

// Returns the cost to minimise, such as cycles; 0 for a program that must not be chosen. Threading: may be called
// concurrently.
using CostFunction = std::function<uint64_t(const isa::Program& program)>;

struct TuneOptions {
  // If empty, the estimate selects the tiling.
  CostFunction cost;
  // Number of tilings with the smallest estimates that are generated and passed to `cost`.
  size_t most_programs = 24;
  // Generates and measures programs concurrently; null uses only the caller's thread. The chosen tiling does not depend
  // on it.
  ParallelRunner* parallel = nullptr;
  // Cycle profile of the estimate.
  const isa::CycleProfile* profile = isa::find_cycle_profile("hls_zynq7020");
};

struct TunedTiling {
  Tiling tiling;
  uint64_t cost = 0;
  size_t tilings = 0;   // legal tilings
  size_t programs = 0;  // generated and measured programs
};

// Among the tilings whose cost is within 0.2 % of the least, returns the one with the fewest micro-ops, which occupy
// the plan and the accelerator's memory. Errors: kUnsupported if no tiling is legal.
Result<TunedTiling> tune(const LayerGenerator& generator, const TuneOptions& options = {});

}  // namespace nestrt::compiler::evta
