// SPDX-License-Identifier: Apache-2.0
// Returns the smallest network: one ReLU for an input of the given shape.
#pragma once

#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

inline PlanBuilder relu_of(const Shape& shape) {
  PlanBuilder builder;
  const int x = builder.input("x", shape), y = builder.output("y", shape);
  builder.op("relu", unary(ops::UnaryKind::kRelu), {x}, {y});
  return builder;
}

}  // namespace nestrt::test
