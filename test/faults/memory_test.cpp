// SPDX-License-Identifier: Apache-2.0
// Fails every allocation of loading, preparing and running once, alone and with all later ones.
#include <catch2/catch.hpp>

#include "drivers/evta/isa/configuration.h"
#include "nestrt/driver/costs.h"
#include "nestrt/log.h"
#include "nestrt/nestrt.h"
#include "nestrt/pipeline.h"
#include "nestrt/public_key.h"
#include "runtime/costs/measurement/measure_costs.h"
#include "test/faults/failing_memory.h"
#include "test/faults/sample_run.h"
#include "test/support/plan/copy_plan.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

int most() { return by_level(40, 150, 100000); }

// Disables warnings about quarantined units, and their allocations.
class MemoryTest {
 public:
  MemoryTest() { set_log_level(LogLevel::kOff); }
  ~MemoryTest() { set_log_level(LogLevel::kWarning); }

 protected:
  const TemporaryFolder folder_;
};

TEST_CASE_METHOD(MemoryTest, "Loading a plan succeeds or returns kOutOfMemory") {
  const PlanFile file = views_plan().build();
  const std::string path = folder_.write("views.nest", file.bytes());
  fail_every_allocation(most(), [&] { return Plan::map(path).error(); });
  LoadOptions copied(Verification::kComplete);
  copied.copy = true;
  fail_every_allocation(most(), [&] { return Plan::map(path, copied).error(); });
  fail_every_allocation(most(), [&] { return Plan::from_memory(file.bytes()).error(); });
}

TEST_CASE_METHOD(MemoryTest, "An invalid plan is rejected as invalid or with kOutOfMemory") {
  PlanFile file = views_plan().build();
  file.mutable_bytes()[200] ^= std::byte{1};
  fail_every_allocation(most(), [&]() -> Status {
    const Code code = Plan::from_memory(file.bytes()).error().code();
    return code == Code::kInvalidPlan ? Status() : Status::out_of_memory();
  });
}

TEST_CASE_METHOD(MemoryTest, "Sessions of the CPU run or return kOutOfMemory") {
  const PlanFile file = blocked_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  const SampleArguments arguments(*plan);
  fail_every_allocation(most(), [&] { return open_and_run(plan, "cpu", 2, arguments); });
}

TEST_CASE_METHOD(MemoryTest, "Sessions of the CPU and an accelerator run or return kOutOfMemory") {
  const PlanFile file = evta::test::copy_plan(evta::kConfigurations[0]).build();
  const auto plan = *Plan::from_memory(file.bytes());
  const SampleArguments arguments(*plan);
  fail_every_allocation(most(), [&] { return open_and_run(plan, "cpu,evta:sim", 2, arguments); });
}

TEST_CASE_METHOD(MemoryTest, "Measuring costs succeeds or returns kOutOfMemory") {
  const PlanFile file = relu_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  const auto units = *open_units("cpu", {.num_threads = 2});
  fail_every_allocation(by_level(3, 6, 200), [&] { return measure_costs(plan, units).error(); });
}

TEST_CASE_METHOD(MemoryTest, "Pipelines run or return kOutOfMemory") {
  const PlanFile file = branches_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  std::vector<float> x(16), y(16);
  const ConstTensorView input{DataType::kF32, plan->inputs()[0].shape, x.data()};
  const TensorView output{DataType::kF32, plan->outputs()[0].shape, y.data()};
  const auto units = *open_units("cpu", {.num_threads = 1});
  PipelineOptions options;
  options.session.costs.measure = Measuring::kNever;
  fail_every_allocation(most(), [&]() -> Status {
    NESTRT_ASSIGN_OR_RETURN(UnitList own, copy_of(units));
    NESTRT_ASSIGN_OR_RETURN(const auto pipeline, Pipeline::create(plan, std::move(own), options));
    pipeline->submit({&input, 1}, {&output, 1});
    return pipeline->next();
  });
}

TEST_CASE_METHOD(MemoryTest, "A run reports its failure without allocating") {
  const PlanFile file = relu_plan().build();
  const auto plan = *Plan::from_memory(file.bytes());
  const SampleArguments arguments(*plan);
  const auto session = *Session::create(plan, *open_units("cpu", {.num_threads = 1}));
  RunOptions late;
  late.deadline = SteadyClock::time_point();
  fail_every_allocation(most(), [&]() -> Status {
    const Code code = arguments.run(*session, late).code();
    if (code == Code::kDeadlineExceeded) return {};
    return code == Code::kOutOfMemory ? Status::out_of_memory() : Status();
  });
}

TEST_CASE_METHOD(MemoryTest, "The C API returns NESTRT_OUT_OF_MEMORY and throws nothing") {
  const std::string path = folder_.write("relu.nest", relu_plan().build().bytes());
  const float x[6] = {};
  float y[6] = {};
  const void* const inputs[] = {x};
  void* const outputs[] = {y};
  const size_t bytes[] = {sizeof x};
  nestrt_plan* none = nullptr;  // reserves memory for the message of the last failure
  REQUIRE(nestrt_plan_load((path + std::string(200, 'x')).c_str(), &none) == NESTRT_NOT_FOUND);
  fail_every_allocation(most(), [&]() -> Status {
    nestrt_plan* plan = nullptr;
    nestrt_session* session = nullptr;
    nestrt_code code = nestrt_plan_load(path.c_str(), &plan);
    if (code == NESTRT_OK) code = nestrt_session_create(plan, "cpu", 2, &session);
    if (code == NESTRT_OK) code = nestrt_session_run(session, inputs, bytes, outputs, bytes);
    nestrt_session_free(session);
    nestrt_plan_free(plan);
    if (code == NESTRT_OK) return {};
    return code == NESTRT_OUT_OF_MEMORY ? Status::out_of_memory() : Status(Code::kInternal, nestrt_last_error());
  });
}

TEST_CASE_METHOD(MemoryTest, "Options and pipelines of the C API return NESTRT_OUT_OF_MEMORY and throw nothing") {
  const PlanFile file = relu_plan().build();
  float x[6] = {}, y[6] = {};
  const void* const inputs[] = {x};
  void* const outputs[] = {y};
  const size_t bytes[] = {sizeof x};
  nestrt_plan* none = nullptr;  // reserves memory for the message of the last failure
  const std::string long_name(200, 'x');
  REQUIRE(nestrt_plan_load(long_name.c_str(), &none) == NESTRT_NOT_FOUND);
  nestrt_load_options* load = nullptr;
  nestrt_plan* plan = nullptr;
  REQUIRE(nestrt_load_options_create(&load) == NESTRT_OK);
  REQUIRE(nestrt_plan_load_memory(file.bytes().data(), file.bytes().size(), load, &plan) == NESTRT_OK);
  fail_every_allocation(most(), [&]() -> Status {
    nestrt_session_options* session_options = nullptr;
    nestrt_pipeline_options* pipeline_options = nullptr;
    nestrt_pipeline* pipeline = nullptr;
    nestrt_code code = nestrt_session_options_create(&session_options);
    if (code == NESTRT_OK) code = nestrt_session_options_set_cost_file(session_options, long_name.c_str());
    if (code == NESTRT_OK) code = nestrt_session_options_set_cost_file(session_options, nullptr);
    if (code == NESTRT_OK) code = nestrt_pipeline_options_create(&pipeline_options);
    if (code == NESTRT_OK) code = nestrt_pipeline_create(plan, "cpu", 1, session_options, pipeline_options, &pipeline);
    if (code == NESTRT_OK) code = nestrt_pipeline_submit(pipeline, inputs, bytes, outputs, bytes);
    if (code == NESTRT_OK) code = nestrt_pipeline_next(pipeline);
    nestrt_pipeline_free(pipeline);
    nestrt_pipeline_options_free(pipeline_options);
    nestrt_session_options_free(session_options);
    if (code == NESTRT_OK) return {};
    return code == NESTRT_OUT_OF_MEMORY ? Status::out_of_memory() : Status(Code::kInternal, nestrt_last_error());
  });
  nestrt_plan_free(plan);
  nestrt_load_options_free(load);
}

TEST_CASE_METHOD(MemoryTest, "Reading and writing costs and keys succeeds or returns kOutOfMemory") {
  const std::string costs = folder_.path() + "/deep/costs", key = folder_.path() + "/key";
  CostTable table;
  table.set({"cpu", "avx2", 2}, "a work with a name that is longer than a short string", {1.5, CostSource::kMeasured});
  fail_every_allocation(most(), [&]() -> Status {
    NESTRT_RETURN_IF_ERROR(write_costs(costs, table));
    return read_costs(costs).error();
  });
  folder_.write_text("key", "nestrt-public-key " + std::string(64, 'a') + "\n");
  fail_every_allocation(most(), [&] { return read_public_key(key).error(); });
}

}  // namespace
}  // namespace nestrt::test
