// SPDX-License-Identifier: Apache-2.0
#include "runtime/adaptation/trial.h"

#include <algorithm>

#include "runtime/core/clock.h"
#include "runtime/core/tensor_set.h"
#include "runtime/costs/measurement/sample_statistics.h"

namespace nestrt {
namespace {

constexpr int kWarmupRuns = 2, kMinTrialRuns = 3, kMaxTrialRuns = 200;
constexpr std::chrono::milliseconds kMaxTrialTime{150};
constexpr double kClearRatio = 0.99;

}  // namespace

Result<bool> is_faster(const Plan& plan, PreparedSchedule& a, PreparedSchedule& b, RunMemory& memory,
                       const ExecutorOptions& options, UnitHealth& health) {
  NESTRT_ASSIGN_OR_RETURN(const TensorSet inputs, TensorSet::random(plan.inputs()));
  NESTRT_ASSIGN_OR_RETURN(const TensorSet outputs, TensorSet::create(plan.outputs()));
  memory.bind(inputs.const_views(), outputs.views());
  Executor executor(options, health);
  NESTRT_RETURN_IF_ERROR(executor.reserve_unit_lanes(std::max(a.unit_lanes().size(), b.unit_lanes().size())));
  const Clock* const clock = options.clock.get();
  std::vector<double> ratios;
  const SteadyClock::time_point begin = now_by(clock);
  for (int run = 0; run < kWarmupRuns + kMaxTrialRuns; ++run) {
    if (run >= kWarmupRuns + kMinTrialRuns && now_by(clock) - begin > kMaxTrialTime) break;
    const SteadyClock::time_point start = now_by(clock);
    NESTRT_RETURN_IF_ERROR(executor.run(a, {&memory}));
    const SteadyClock::time_point middle = now_by(clock);
    NESTRT_RETURN_IF_ERROR(executor.run(b, {&memory}));
    const std::chrono::duration<double> of_a = middle - start, of_b = now_by(clock) - middle;
    if (run >= kWarmupRuns) ratios.push_back(of_a / of_b);
  }
  return describe_samples(std::move(ratios)).median < kClearRatio;
}

}  // namespace nestrt
