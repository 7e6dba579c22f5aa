// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/queries/run_memory.h"

#include <catch2/catch.hpp>
#include <memory>

#include "test/support/plan/sample_plans.h"

namespace nestrt {
namespace {

class FakeMemory final : public HostVisibleMemory {
 public:
  explicit FakeMemory(size_t bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes() const override { return bytes_; }
  bool is_safe() const override { return safe; }

  bool safe = true;

 private:
  mutable std::vector<std::byte> bytes_;
};

// A unit that only allocates memory.
class FakeUnit final : public Unit {
 public:
  const UnitInfo& info() const override { return info_; }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec&) override {
    return Status(Code::kUnsupported, "nothing");
  }
  Result<std::shared_ptr<HostVisibleMemory>> allocate_shared(uint64_t bytes) override {
    memory = std::make_shared<FakeMemory>(bytes);
    return std::shared_ptr<HostVisibleMemory>(memory);
  }

  std::shared_ptr<FakeMemory> memory;

 private:
  UnitInfo info_;
};

TEST_CASE("Memory that a stopped unit could still write to is unsafe until it is replaced") {
  const test::PlanFile file = test::branches_plan().build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  const auto* const layout = memory_plan_for((*plan)->tables(), plan::MemoryPlanKind::kSequential);
  REQUIRE(layout != nullptr);
  const auto unit = std::make_shared<FakeUnit>();
  RunMemory memory;
  REQUIRE(memory.allocate(**plan, *layout, {unit}).ok());
  REQUIRE(unit->memory != nullptr);
  CHECK(memory.is_safe());
  unit->memory->safe = false;
  CHECK_FALSE(memory.is_safe());
  unit->memory->safe = true;
  CHECK_FALSE(memory.is_safe());
  REQUIRE(memory.allocate(**plan, *layout, {}).ok());
  CHECK(memory.is_safe());
}

}  // namespace
}  // namespace nestrt
