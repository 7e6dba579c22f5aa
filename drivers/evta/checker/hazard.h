// SPDX-License-Identifier: Apache-2.0
// Hazards: GEMM and ALU are pipelines that start a step before the preceding steps have written their results. A step
// that reads an accumulator written by one of those steps gets the old value, so the result is wrong.
//
// The design determines how many steps are late (isa/design.h). Instructions wait for each other, so hazards occur only
// within one loop.
#pragma once

#include <span>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

enum class Hazard : uint8_t {
  kNone,
  kWrite,   // a step modifies a value that a preceding step wrote
  kSource,  // the source of an ALU step is a value that a preceding step wrote
};

// Returns the first hazard of the loop in any iteration. Ignores harmless late reads: a reset, which reads nothing, and
// a minimum or maximum with an operand that the preceding step has already applied. Exact, and linear in the number of
// micro-ops. Requires the micro-ops [uop_begin, uop_end), at least one iteration, and indices within bounds.
Hazard find_hazard(Design design, const Gemm& gemm, std::span<const MicroOp> micro_ops);
Hazard find_hazard(Design design, const Alu& alu, std::span<const MicroOp> micro_ops);

}  // namespace nestrt::evta
