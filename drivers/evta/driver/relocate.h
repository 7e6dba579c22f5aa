// Moves a program from the addresses that the compiler chose to those where its memory is.
#pragma once

#include <vector>

#include "drivers/evta/program.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// The program's instructions with range i at address `targets[i]`, which is as far from a multiple of its largest
// element as the range's own. Errors: kInvalidPlan for an instruction that does not decode, or whose first row lies in
// no range.
Result<std::vector<InstructionWord>> relocate(const Program& program, std::span<const uint64_t> targets);

// By range, what its address may be moved by multiples of: the largest element that an instruction addresses in it; 1
// where none does. Errors: as relocate().
Result<std::vector<uint64_t>> largest_elements(const Program& program);

}  // namespace nestrt::evta
