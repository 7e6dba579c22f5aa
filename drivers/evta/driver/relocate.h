// SPDX-License-Identifier: Apache-2.0
// Relocates a program from the compiler's addresses to the addresses of its memory.
#pragma once

#include <vector>

#include "drivers/evta/program.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// Returns the instructions with range i at address `targets[i]`, which must have the same offset from a multiple of the
// range's largest element as the range's own address. Errors: kInvalidPlan for an instruction that cannot be decoded,
// or whose first row is in no range.
Result<std::vector<InstructionWord>> relocate(const Program& program, std::span<const uint64_t> targets);

// Returns, per range, the required granularity of a relocation: the size of the largest element that an instruction
// addresses in it, or 1. Errors: as for relocate().
Result<std::vector<uint64_t>> largest_elements(const Program& program);

}  // namespace nestrt::evta
