// Hazards: GEMM and ALU are pipelines that begin a step before those right ahead of it have written. A step that reads
// an accumulator which one of those writes gets what was there before, and the program computes something else.
//
// How many steps are late is the design's (isa/design.h). Instructions wait for each other, so hazards are those of one
// loop.
#pragma once

#include <span>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

enum class Hazard : uint8_t {
  kNone,
  kWrite,   // a step changes what a step right before it wrote
  kSource,  // a step of the ALU has for its source what a step right before it wrote
};

// The first of them that the loop has, in any iteration. No hazard is what reads a late value without a difference:
// a reset, which reads nothing, and a minimum or maximum that the step before took with the same operand already.
// Exact, and linear in the micro-ops [uop_begin, uop_end), which are those given; the loop runs at least once. All
// indices are within bounds.
Hazard find_hazard(Design design, const Gemm& gemm, std::span<const MicroOp> micro_ops);
Hazard find_hazard(Design design, const Alu& alu, std::span<const MicroOp> micro_ops);

}  // namespace nestrt::evta
