// SPDX-License-Identifier: Apache-2.0
// Computation and data movement of a plan's operators, used for inspection, benchmarks and placement.
#pragma once

#include <cstdint>

#include "nestrt/driver/plan_tables.h"

namespace nestrt {

struct OperatorStatistics {
  uint64_t macs = 0;          // multiply-accumulates; 0 for operators without any
  uint64_t input_bytes = 0;   // activations read
  uint64_t output_bytes = 0;  // activations written
  uint64_t weight_bytes = 0;  // constants read

  uint64_t bytes() const { return input_bytes + output_bytes + weight_bytes; }
  // Returns the multiply-accumulates per byte moved: the compute-to-communication ratio.
  double intensity() const { return bytes() == 0 ? 0.0 : static_cast<double>(macs) / static_cast<double>(bytes()); }
};

// Requires: an operator of a plan that a Session accepts, so that the operands match the kind of operator.
OperatorStatistics statistics(const plan::Tables& plan, const plan::Operator& op);

}  // namespace nestrt
