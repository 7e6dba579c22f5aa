// SPDX-License-Identifier: Apache-2.0
// LoopNest: the iterations of one GEMM or ALU instruction before lowering decides which dimensions become the two loops
// of the instruction and which become micro-ops.
#pragma once

#include <cstdint>
#include <vector>

#include "drivers/evta/isa/instruction.h"
#include "nestrt/result.h"

namespace nestrt::compiler::evta {

namespace isa = nestrt::evta;

// `count` iterations. Each advances the indices by `stride`.
struct Dimension {
  uint32_t count = 1;
  isa::MicroOp stride;

  // Returns true if all iterations add to the same accumulator.
  bool reduces() const { return stride.dst == 0; }
};

// All combinations of the dimensions' iterations in unspecified order, because additions wrap and commute. Iterations
// that differ in a dimension that does not reduce have different destinations.
struct LoopNest {
  isa::MicroOp base;
  std::vector<Dimension> dimensions;
};

struct LoweredNest {
  std::vector<isa::MicroOp> micro_ops;
  uint32_t iter_out = 1;
  uint32_t iter_in = 1;
  isa::MicroOp factor_out;
  isa::MicroOp factor_in;
};

// The third micro-op after a write is the first that may write the same destination, because the pipelines do not see a
// result earlier.
inline constexpr uint32_t kHazardDistance = 3;

// Chooses the form with the fewest micro-ops that keeps the hazard distance; loop iterations cost nothing. Errors:
// kUnsupported if the nest does not fit the micro-op memory or cannot keep the distance.
Result<LoweredNest> lower(const isa::Configuration& configuration, const LoopNest& nest);

}  // namespace nestrt::compiler::evta
