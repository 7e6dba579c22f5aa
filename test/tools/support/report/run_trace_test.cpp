// SPDX-License-Identifier: Apache-2.0
#include "tools/support/report/run_trace.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "nestrt/open_units.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/allocation_counter.h"

namespace nestrt::test {
namespace {

using Json = nlohmann::json;
using tools::RunRecorder;

// An observed run of branches_plan() on the CPU.
struct WatchedRun {
  explicit WatchedRun(int runs) : plan(*Plan::from_memory(file.bytes())), recorder(*plan, runs) {
    SessionOptions options;
    options.observer = &recorder;
    auto created = Session::create(plan, units, options);
    REQUIRE(created);
    session = std::move(*created);
    run();
    recorder.clear();
  }

  void run() {
    const ConstTensorView inputs[] = {{DataType::kF32, {2, 8}, x.data()}};
    const TensorView outputs[] = {{DataType::kF32, {2, 8}, y.data()}};
    const SteadyClock::time_point start = SteadyClock::now();
    const bool ok = session->run(inputs, outputs).ok();
    recorder.run_done(start, SteadyClock::now());
    REQUIRE(ok);
  }

  const PlanFile file = branches_plan().build();
  const std::shared_ptr<const Plan> plan;
  const UnitList units = *open_units("cpu", {.num_threads = 1});
  RunRecorder recorder;
  std::unique_ptr<Session> session;
  std::vector<float> x = std::vector<float>(16), y = std::vector<float>(16);
};

TEST_CASE("Recording a run allocates no memory") {
  WatchedRun watched(1);
  const AllocationCounter allocations;
  watched.run();
  CHECK(allocations.count() == 0);
  CHECK_FALSE(watched.recorder.records().empty());
}

TEST_CASE("A trace has the runs and their operators within steps") {
  WatchedRun watched(2);
  watched.run();
  watched.run();
  CHECK(watched.recorder.lost() == 0);
  std::map<std::string, std::vector<Json>> spans;
  const Json trace = Json::parse(trace_of(watched.recorder, *watched.session, watched.units).to_json().to_string());
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X") spans[event["cat"]].push_back(event);
  CHECK(spans["run"].size() == 2);
  CHECK(spans["step"].size() == 6);
  REQUIRE(spans["operator"].size() == 6);
  CHECK(spans["operator"][0]["name"] == "left");
  CHECK(spans["operator"][0]["tid"] == spans["step"][0]["tid"]);
  CHECK(spans["operator"][0]["tid"] != spans["run"][0]["tid"]);
}

TEST_CASE("A full recorder counts the lost records") {
  WatchedRun watched(1);
  const size_t room = 1000;
  for (size_t i = 0; i < room; ++i) watched.recorder.operator_done(0, {}, {});
  CHECK(watched.recorder.lost() > 0);
  CHECK(watched.recorder.records().size() + watched.recorder.lost() == room);
}

}  // namespace
}  // namespace nestrt::test
