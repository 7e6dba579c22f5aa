#include "runtime/costs/stated_cost.h"

#include <cmath>

namespace nestrt {

const plan::Cost* stated_cost(const plan::Program& program) {
  const plan::Cost* best = nullptr;
  for (const plan::Cost& cost : program.costs) {
    if (cost.origin == plan::CostOrigin::kUnknown || !std::isfinite(cost.microseconds) || cost.microseconds <= 0)
      continue;
    if (best == nullptr || cost.origin < best->origin) best = &cost;
  }
  return best;
}

}  // namespace nestrt
