// SPDX-License-Identifier: Apache-2.0
// The kernels that the compiler chose for a CPU.
#pragma once

#include <string_view>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Returns the selection for an instruction set, or null if the program leaves the choice to the runtime.
inline const plan::KernelSelection* selection_for(const plan::Program& program, std::string_view instruction_set) {
  for (const plan::KernelSelection& selection : program.selections)
    if (selection.instruction_set == instruction_set) return &selection;
  return nullptr;
}

// Returns the packing in which that instruction set's kernels read an operator's input. Requires: a verified plan and a
// present input.
Packing packing_for(const plan::Tables& tables, uint32_t op, size_t input, std::string_view instruction_set);

}  // namespace nestrt
