// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/kernel_selection.h"

#include <algorithm>

namespace nestrt {
namespace {

// Returns the tensor that kernels for the instruction set read instead of the operator's weights, or -1.
int32_t other_weights(const plan::Tables& tables, uint32_t op, std::string_view instruction_set) {
  // Branches contain consecutive operators, in plan order.
  const auto last_of = [](const plan::Branch& branch) { return branch.operators.back(); };
  const auto branch = std::ranges::lower_bound(tables.branches, op, {}, last_of);
  const size_t position = op - branch->operators.front();
  for (const plan::Program& program : branch->programs) {
    const plan::KernelSelection* const selection = selection_for(program, instruction_set);
    if (selection != nullptr) return position < selection->weights.size() ? selection->weights[position] : -1;
  }
  return -1;
}

}  // namespace

Packing packing_for(const plan::Tables& tables, uint32_t op, size_t input, std::string_view instruction_set) {
  constexpr size_t kWeights = 1;
  const int32_t other = input == kWeights ? other_weights(tables, op, instruction_set) : -1;
  return tables.tensors[static_cast<uint32_t>(other < 0 ? tables.operators[op].inputs[input] : other)].packing;
}

}  // namespace nestrt
