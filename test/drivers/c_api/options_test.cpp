// SPDX-License-Identifier: Apache-2.0
#include "drivers/c_api/options.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "test/drivers/c_api/use_options.h"
#include "test/drivers/vendor/isolation/crashing_plugin.h"
#include "test/drivers/vendor/skeleton_programs.h"
#include "test/support/example_files.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const std::vector<float> kX = {-1, 2, -3, 4, -5, 6}, kRelu = {0, 2, 0, 4, 0, 6};

struct SessionOptionsOwner {
  SessionOptionsOwner() { REQUIRE(nestrt_session_options_create(&options) == NESTRT_OK); }
  ~SessionOptionsOwner() { nestrt_session_options_free(options); }
  const SessionOptions& value() const { return options->value; }
  nestrt_session_options* options = nullptr;
};

// Returns a plan whose schedule depends on costs, so that a session measures them.
PlanFile relu_for_any_schedule() {
  PlanBuilder builder = relu_plan();
  std::vector<plan::MemoryPlan>& plans = builder.tables().memory_plans;
  plan::MemoryPlan any = plans[0];
  any.kind = plan::MemoryPlanKind::kAnySchedule;
  plans.push_back(std::move(any));
  return builder.build();
}

TEST_CASE("A C program sets every session option and stores measured costs in a file") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_for_any_schedule().bytes());
  const std::string costs = folder.path() + "/costs";
  std::vector<float> y(6);
  CHECK(use_session_options(path.c_str(), costs.c_str(), kX.data(), y.data()) == 0);
  CHECK(y == kRelu);
  CHECK(std::filesystem::exists(costs));
}

TEST_CASE("Each session option of the C API sets its C++ counterpart") {
  const SessionOptionsOwner of_c;
  nestrt_session_options* const options = of_c.options;
  const SessionOptions& value = of_c.value();
  for (const auto& [number, method] : {std::pair{NESTRT_SCHEDULE_FILE_ORDER, ScheduleMethod::kFileOrder},
                                       std::pair{NESTRT_SCHEDULE_THROUGHPUT, ScheduleMethod::kThroughput}}) {
    CHECK(nestrt_session_options_set_schedule_method(options, number) == NESTRT_OK);
    CHECK(value.schedule.method == method);
  }
  CHECK(nestrt_session_options_set_split_channels(options, 0) == NESTRT_OK);
  CHECK_FALSE(value.schedule.split_channels);
  CHECK(nestrt_session_options_set_share_cores(options, 0) == NESTRT_OK);
  CHECK_FALSE(value.schedule.share_cores);
  CHECK(nestrt_session_options_set_schedule_budget(options, 1500) == NESTRT_OK);
  CHECK(value.schedule.budget == microseconds(1500));
  CHECK(nestrt_session_options_set_measure(options, NESTRT_MEASURE_NEVER) == NESTRT_OK);
  CHECK(nestrt_session_options_set_keep_costs(options, 0) == NESTRT_OK);
  CHECK(value.costs.measure == Measuring::kNever);
  CHECK_FALSE(value.costs.keep);
  CHECK(nestrt_session_options_set_cost_file(options, "costs") == NESTRT_OK);
  CHECK(value.costs.file == "costs");
  CHECK(nestrt_session_options_set_cost_file(options, nullptr) == NESTRT_OK);
  CHECK(value.costs.file.empty());
  CHECK(nestrt_session_options_set_drift(options, 0.5) == NESTRT_OK);
  CHECK(value.adaptation.drift == 0.5);
  CHECK(nestrt_session_options_set_unit_timeout(options, 700) == NESTRT_OK);
  CHECK(value.fault_tolerance.unit_timeout == milliseconds(700));
  CHECK(nestrt_session_options_set_unit_timeout_factor(options, 0, 30) == NESTRT_OK);
  CHECK(value.fault_tolerance.timeout_factor == 0);
  CHECK(nestrt_session_options_set_unit_timeout_factor(options, 4, 30) == NESTRT_OK);
  CHECK(value.fault_tolerance.timeout_factor == 4);
  CHECK(value.fault_tolerance.timeout_slack == milliseconds(30));
  CHECK(nestrt_session_options_set_probe_interval(options, 90) == NESTRT_OK);
  CHECK(value.fault_tolerance.probe_interval == milliseconds(90));
  CHECK(nestrt_session_options_set_check_every(options, 3) == NESTRT_OK);
  CHECK(value.fault_tolerance.check_every == 3);
  CHECK(nestrt_session_options_set_urgent(options, 1) == NESTRT_OK);
  CHECK(value.urgent);
}

TEST_CASE("A C program opens a plug-in in a separate process") {
  if (!vendor::test::needs_isolation()) return;
  const TemporaryFolder folder;
  const std::string path = folder.write("copy.nest", vendor::test::skeleton_copy_file().bytes());
  std::vector<int8_t> x(64), y(64);
  std::iota(x.begin(), x.end(), int8_t{1});
  CHECK(use_plugin(path.c_str(), kSkeletonPlugin, x.data(), y.data(), y.size()) == 0);
  CHECK(y == x);
}

TEST_CASE("Unset options of the C API have the C++ defaults, and rejected values change nothing") {
  const SessionOptionsOwner of_c;
  CHECK(nestrt_session_options_set_unit_timeout_factor(of_c.options, 2, -1) == NESTRT_INVALID_ARGUMENT);
  CHECK(nestrt_session_options_set_unit_timeout(of_c.options, -1) == NESTRT_INVALID_ARGUMENT);
  const SessionOptions defaults;
  CHECK(of_c.value().fault_tolerance.timeout_factor == defaults.fault_tolerance.timeout_factor);
  CHECK(of_c.value().fault_tolerance.unit_timeout == defaults.fault_tolerance.unit_timeout);
  CHECK(of_c.value().schedule.method == defaults.schedule.method);
  CHECK(of_c.value().costs.measure == defaults.costs.measure);
}

TEST_CASE("The C API rejects invalid option values with a message that names the option") {
  CHECK(misuse_options() == 0);
}

TEST_CASE("A timeout counts from the call, and one beyond the clock's range means no deadline") {
  nestrt_run_options options;
  const SteadyClock::time_point call{std::chrono::hours(1)};
  CHECK(options.for_call_at(call).deadline == kNoDeadline);
  options.timeout_us = 1500;
  CHECK(options.for_call_at(call).deadline == call + microseconds(1500));
  options.timeout_us = INT64_MAX - 1;
  CHECK(options.for_call_at(call).deadline == kNoDeadline);
}

TEST_CASE("A C program cancels a run from another thread") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_plan().build().bytes());
  nestrt_plan* plan = nullptr;
  nestrt_session* session = nullptr;
  REQUIRE(nestrt_plan_load(path.c_str(), &plan) == NESTRT_OK);
  REQUIRE(nestrt_session_create(plan, "cpu", 1, &session) == NESTRT_OK);
  std::atomic<bool> ended{false};
  std::thread canceller([&] {
    while (!ended) static_cast<void>(nestrt_session_cancel(session));
  });
  std::vector<float> y(6);
  const void* const inputs[] = {kX.data()};
  void* const outputs[] = {y.data()};
  const size_t bytes = 24;
  nestrt_code code = NESTRT_OK;
  for (int run = 0; run < 10'000'000 && code == NESTRT_OK; ++run)
    code = nestrt_session_run(session, inputs, &bytes, outputs, &bytes);
  ended = true;
  canceller.join();
  CHECK(code == NESTRT_CANCELLED);
  CHECK(nestrt_session_run(session, inputs, &bytes, outputs, &bytes) == NESTRT_OK);
  CHECK(y == kRelu);
  nestrt_session_free(session);
  nestrt_plan_free(plan);
}

TEST_CASE("A C program has several inferences in flight") {
  const TemporaryFolder folder;
  const std::string path = folder.write("relu.nest", relu_plan().build().bytes());
  constexpr int kRuns = 20;
  std::vector<float> y(6 * kRuns);
  CHECK(use_pipeline(path.c_str(), kRuns, kX.data(), y.data()) == 0);
  for (int run = 0; run < kRuns; ++run) CHECK(std::equal(kRelu.begin(), kRelu.end(), y.begin() + 6 * run));
}

TEST_CASE("Pipelines of the C API answer misuse with codes and messages") {
  const TemporaryFolder folder;
  CHECK(misuse_pipeline(folder.write("relu.nest", relu_plan().build().bytes()).c_str()) == 0);
}

TEST_CASE("The C API describes a plan's inputs and outputs as its sessions do") {
  const TemporaryFolder folder;
  CHECK(describe_plan(folder.write("relu.nest", relu_plan().build().bytes()).c_str()) == 0);
}

}  // namespace
}  // namespace nestrt::test
