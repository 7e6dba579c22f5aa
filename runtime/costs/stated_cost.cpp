// SPDX-License-Identifier: Apache-2.0
#include "runtime/costs/stated_cost.h"

#include <cmath>

namespace nestrt {
namespace {

bool is_time(const plan::Cost& cost) { return std::isfinite(cost.microseconds) && cost.microseconds > 0; }

}  // namespace

const plan::Cost* guessed_cost(const plan::Program& program) {
  for (const plan::Cost& cost : program.costs)
    if (cost.origin == plan::CostOrigin::kUnknown && is_time(cost)) return &cost;
  return nullptr;
}

const plan::Cost* stated_cost(const plan::Program& program) {
  const plan::Cost* best = nullptr;
  for (const plan::Cost& cost : program.costs) {
    if (cost.origin == plan::CostOrigin::kUnknown || !is_time(cost)) continue;
    if (best == nullptr || cost.origin < best->origin) best = &cost;
  }
  return best;
}

}  // namespace nestrt
