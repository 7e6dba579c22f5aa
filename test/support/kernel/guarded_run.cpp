// SPDX-License-Identifier: Apache-2.0
#include "test/support/kernel/guarded_run.h"

#include "runtime/core/tensor_set.h"
#include "test/support/kernel/guarded_bytes.h"
#include "test/support/process/allocation_fill.h"

namespace nestrt::test {

GuardedRun run_guarded(const std::shared_ptr<const Plan>& plan, const UnitList& units, const SessionOptions& options,
                       Stale stale) {
  GuardedRun result;
  const AllocationFill allocations(stale);
  const auto session = Session::create(plan, units, options);
  const auto inputs = TensorSet::random(plan->inputs());
  if (!session || !inputs) return result;
  std::vector<GuardedBytes> memory;
  memory.reserve(plan->outputs().size());
  std::vector<TensorView> outputs;
  for (const TensorInfo& info : plan->outputs()) {
    GuardedBytes& block = memory.emplace_back(info.size_bytes());
    fill(block.bytes(), stale);
    outputs.push_back({info.type, info.shape, block.data()});
  }
  result.ran = (*session)->run(inputs->const_views(), outputs).ok();
  for (const GuardedBytes& block : memory) {
    result.overran |= !block.is_intact();
    if (result.ran) result.outputs.insert(result.outputs.end(), block.bytes().begin(), block.bytes().end());
  }
  return result;
}

SteadyRun run_twice(const std::shared_ptr<const Plan>& plan, const UnitList& units, const SessionOptions& options) {
  const GuardedRun zeros = run_guarded(plan, units, options, Stale::kZeros);
  const GuardedRun nans = run_guarded(plan, units, options, Stale::kNans);
  return {zeros.ran, zeros.overran || nans.overran, zeros.ran == nans.ran && zeros.outputs == nans.outputs};
}

}  // namespace nestrt::test
