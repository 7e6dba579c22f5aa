// SPDX-License-Identifier: Apache-2.0
// Derives a property of tensors from the operators that compute them.
#pragma once

#include <cstddef>
#include <vector>

#include "nestrt/driver/plan_tables.h"

namespace nestrt::tools {

// Returns, for each tensor, whether it is marked. The outputs of an operator are marked if marks(op, reads_marked)
// returns true; reads_marked(i) returns whether operand i is present and marked. Operators are visited in execution
// order. Requires: a verified plan.
template <typename Marks>
std::vector<bool> marked_tensors(const plan::Tables& tables, const Marks& marks) {
  std::vector<bool> marked(tables.tensors.size());
  for (const plan::Operator& op : tables.operators) {
    const auto reads_marked = [&](size_t operand) {
      return operand < op.inputs.size() && op.inputs[operand] >= 0 && marked[static_cast<size_t>(op.inputs[operand])];
    };
    const bool is_marked = marks(op, reads_marked);
    for (const int32_t output : op.outputs)
      if (output >= 0) marked[static_cast<size_t>(output)] = is_marked;
  }
  return marked;
}

}  // namespace nestrt::tools
