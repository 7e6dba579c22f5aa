// Which kernels the compiler chose for a CPU.
#pragma once

#include <string_view>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

// What the program says of that instruction set; null where it leaves the kernels to the machine.
inline const plan::KernelSelection* selection_for(const plan::Program& program, std::string_view instruction_set) {
  for (const plan::KernelSelection& selection : program.selections)
    if (selection.instruction_set == instruction_set) return &selection;
  return nullptr;
}

// How an input of an operator lies where kernels of that instruction set read it. Requires: a verified plan, an input
// that is there.
Packing packing_for(const plan::Tables& tables, uint32_t op, size_t input, std::string_view instruction_set);

}  // namespace nestrt
