// SPDX-License-Identifier: Apache-2.0
// The compiler's choice of kernels for a CPU.
#pragma once

#include <string_view>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// Returns the selection for an instruction set; null if the program leaves the choice to the runtime.
inline const plan::KernelSelection* selection_for(const plan::Program& program, std::string_view instruction_set) {
  for (const plan::KernelSelection& selection : program.selections)
    if (selection.instruction_set == instruction_set) return &selection;
  return nullptr;
}

// Returns the packing in which kernels of that instruction set read an operator's input. Requires: a verified plan and
// a present input.
Packing packing_for(const plan::Tables& tables, uint32_t op, size_t input, std::string_view instruction_set);

}  // namespace nestrt
