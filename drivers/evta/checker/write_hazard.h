// Write hazards: GEMM and ALU are pipelines that start a step per cycle, and an accumulator that one of the two steps
// before wrote is not there yet.
#pragma once

#include <span>

#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {

// Whether a step of the loop writes an element that one of the two steps before it wrote, in any iteration. Linear in
// the micro-ops [uop_begin, uop_end), which are those given; the loop runs at least once. All indices are within
// bounds.
bool has_write_hazard(const Loop& loop, std::span<const MicroOp> micro_ops);

}  // namespace nestrt::evta
