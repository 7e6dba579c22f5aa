// SPDX-License-Identifier: Apache-2.0
// Links libnestrt.so rather than the archive, as applications and run-time components do, to check that it exports
// everything that public headers declare.
#include <catch2/catch.hpp>
#include <typeinfo>

#include "nestrt/driver/costs.h"
#include "nestrt/driver/event.h"
#include "nestrt/driver/mutex.h"
#include "nestrt/driver/operators.h"
#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/schedule.h"
#include "nestrt/driver/unit.h"
#include "nestrt/log.h"
#include "nestrt/model.h"
#include "nestrt/nestrt.h"
#include "nestrt/open_units.h"
#include "nestrt/pipeline.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"

namespace nestrt {
namespace {

class OwnExecutable final : public Executable {
 public:
  size_t scratch_bytes() const override { return 0; }
  void submit(const Submission& submission) override {
    submission.completion->signal(submission.generation, Status(Code::kDeviceFault, "broken").with_context("unit"));
  }
};

class OwnUnit final : public Unit {
 public:
  const UnitInfo& info() const override { return info_; }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec&) override {
    return std::unique_ptr<Executable>(std::make_unique<OwnExecutable>());
  }

 private:
  UnitInfo info_{"own", "own0", "", 1, false};
};

TEST_CASE("A custom unit works with the library's events") {
  OwnUnit unit;
  auto executable = unit.prepare({});
  REQUIRE(executable);
  CHECK(run(**executable, Submission()).to_string() == "device fault: unit: broken");
  CHECK_FALSE(Session::create(nullptr, {std::make_shared<OwnUnit>()}));
}

TEST_CASE("Unit classes have the same type information inside and outside the library") {
  auto units = open_units("cpu", {.num_threads = 1});
  REQUIRE(units);
  Unit& unit = *units->front();
  CHECK(dynamic_cast<OwnUnit*>(&unit) == nullptr);
  CHECK(typeid(unit) != typeid(Unit));
}

TEST_CASE("Invalid plans are rejected with the library's error codes") {
  alignas(64) const std::byte bytes[64] = {};
  CHECK(Plan::from_memory(bytes).error().code() == Code::kInvalidPlan);
  CHECK(Plan::map("/nonexistent.nest").error().code() == Code::kNotFound);
  CHECK(Plan::map_descriptor(-1).error().code() == Code::kIo);
}

TEST_CASE("Cost tables of the library can be filled and merged") {
  CostTable costs;
  costs.set({"own", "", 1}, "work", {2.0, CostSource::kMeasured});
  costs.set_overhead({"own", "", 1}, {1.0, 0, 0, 0});
  CostTable others;
  others.merge(costs);
  REQUIRE(others.find({"own", "", 1}, "work") != nullptr);
  CHECK(others.overhead({"own", "", 1}).start_us == 1.0);
  CHECK(read_costs("/nonexistent").error().code() == Code::kNotFound);
}

TEST_CASE("Operators and their names are exported") {
  const ops::Attributes attributes = ops::Softmax{};
  const ops::Attributes copy = attributes;
  CHECK(copy == attributes);
  CHECK(ops::name(ops::kind_of(copy)) == "Softmax");
  CHECK(name(DataType::kF32) == "f32");
  CHECK(Shape({1, 2}).to_string() == "1x2");
}

// Returns whether the linker found the function. `address` is volatile so that the compiler cannot fold the comparison.
template <typename Function>
bool is_exported(Function* function) {
  Function* volatile address = function;
  return address != nullptr;
}

TEST_CASE("Functions that need a plan are exported") {
  CHECK(is_exported(&work_name));
  CHECK(is_exported(&program_work_name));
  CHECK(is_exported(&branch_cost));
  CHECK(is_exported(&make_schedule));
  CHECK(is_exported(&Model::create));
  CHECK(is_exported(&Pipeline::create));
  CHECK(is_exported(&write_costs));
  CHECK(is_exported(&read_public_key));
}

TEST_CASE("Locks and logging are exported") {
  Mutex mutex;
  Condition condition;
  const MutexLock lock(mutex);
  condition.notify_all();
  std::string heard;
  set_log_hook([&](LogLevel, std::string_view message) { heard = message; });
  log(LogLevel::kError, "hello");
  set_log_hook({});
  CHECK(heard == "hello");
}

TEST_CASE("The C interface has the version that its header states") {
  CHECK(nestrt_abi_version() == NESTRT_ABI_VERSION);
}

}  // namespace
}  // namespace nestrt
