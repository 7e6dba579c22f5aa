// SPDX-License-Identifier: Apache-2.0
// What is true of a tensor because of how it was computed.
#pragma once

#include <cstddef>
#include <vector>

#include "nestrt/driver/plan_tables.h"

namespace nestrt::tools {

// By tensor. The outputs of an operator are marked where marks(op, reads_marked) is true; reads_marked(i) tells whether
// operand i is there and marked. Operators are asked in the order of computation. Requires: a verified plan.
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
