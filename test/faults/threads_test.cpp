// SPDX-License-Identifier: Apache-2.0
// Fails every thread creation of the library once.
#include <catch2/catch.hpp>
#include <functional>

#include "drivers/evta/isa/configuration.h"
#include "nestrt/pipeline.h"
#include "runtime/costs/measurement/measure_costs.h"
#include "test/faults/failing_threads.h"
#include "test/faults/sample_run.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

constexpr int64_t kNever = 1 << 20;

// Fails each thread creation of `work` in turn. `work` must create at least `least` threads.
void refuse_every_thread(int64_t least, const std::function<Status()>& work) {
  REQUIRE(work().to_string() == "ok");
  int64_t count = 0;
  {
    const FailingThreads counting(kNever);
    REQUIRE(work().ok());
    count = counting.count();
  }
  CHECK(count >= least);
  for (int64_t number = 0; number < count; ++number) {
    Status status;
    {
      const FailingThreads threads(number);
      status = work();
    }
    INFO("thread " << number << ": " << status.to_string());
    CHECK(status.code() == Code::kUnavailable);
  }
  CHECK(work().to_string() == "ok");
}

TEST_CASE("Sessions report that no threads are available") {
  const PlanFile file = evta::test::copy_plan(evta::kConfigurations[0]).build();
  const auto plan = *Plan::from_memory(file.bytes());
  const SampleArguments arguments(*plan);
  // The session starts two threads for the pool, one for the accelerator, one for its simulation, one for the unit's
  // lane, and one that adapts.
  refuse_every_thread(4, [&] { return open_and_run(plan, "cpu,evta:sim", 3, arguments); });
}

TEST_CASE("Pipelines report that no threads are available") {
  const PlanFile file = relu_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  const UnitList units = *open_units("cpu", {.num_threads = 1});
  refuse_every_thread(3, [&]() -> Status { return Pipeline::create(plan, units).error(); });
}

TEST_CASE("Measuring costs reports that no threads are available") {
  const PlanFile file = relu_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  const UnitList units = *open_units("cpu", {.num_threads = 1});
  refuse_every_thread(1, [&]() -> Status { return measure_costs(plan, units).error(); });
}

}  // namespace
}  // namespace nestrt::test
