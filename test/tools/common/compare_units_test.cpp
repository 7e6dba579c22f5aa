#include "tools/common/compare_units.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "nestrt/open_units.h"
#include "test/support/sample_plans.h"

namespace nestrt::test {
namespace {

// Completes whatever it is given, and computes nothing.
class IdleUnit final : public Unit {
 public:
  const UnitInfo& info() const override { return info_; }
  Result<std::unique_ptr<Executable>> prepare(const BranchSpec&) override {
    return std::unique_ptr<Executable>(std::make_unique<Program>());
  }

 private:
  class Program final : public Executable {
   public:
    size_t scratch_bytes() const override { return 0; }
    void submit(const Submission& submission) override {
      submission.completion->signal(submission.generation, Status());
    }
  };

  const UnitInfo info_{.kind = "idle", .name = "idle0", .configuration = ""};
};

TEST_CASE("Results that are views, of constants above all, are neither spoilt nor compared") {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 2}), y = builder.output("y", {2, 2});
  const int constant = builder.constant<float>("c", {4}, {1, 2, 3, 4}), view = builder.view("view", constant, {2, 2});
  builder.op("view", ops::Reshape{.shape = {2, 2}}, {constant}, {view});
  builder.op("add", binary(ops::BinaryKind::kAdd), {x, view}, {y});
  plan::Program program;
  program.unit = "idle";
  program.kind = plan::ProgramKind::kBlob;
  program.segments = {builder.tables().tensors[static_cast<size_t>(constant)].buffer};
  builder.tables().branches[0].programs.push_back(program);
  const PlanFile file = builder.build(), before = file;
  UnitList units = *open_units("cpu", {.num_threads = 1});
  units.push_back(std::make_shared<IdleUnit>());
  const auto comparisons = tools::compare_units(*Plan::from_memory(file.bytes()), units);
  INFO(comparisons.error().to_string());
  REQUIRE(comparisons);
  REQUIRE(comparisons->size() == 1);
  CHECK(comparisons->front().bytes == 16);      // of y
  CHECK(comparisons->front().different == 16);  // what nobody computed
  CHECK(std::ranges::equal(file.bytes(), before.bytes()));
}

}  // namespace
}  // namespace nestrt::test
