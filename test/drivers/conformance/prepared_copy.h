// SPDX-License-Identifier: Apache-2.0
// PreparedCopy: a program for y = x on bytes (test/support/plan/copy_plan.h), prepared on a unit, with separate memory.
#pragma once

#include <memory>
#include <vector>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/driver/unit.h"
#include "test/support/plan/plan_builder.h"

namespace nestrt::test {

// Far longer than any terminating run takes, on any machine.
inline constexpr std::chrono::seconds kLongEnough{60};

// A copy of a plan's file. `program` is the last program of the first branch for a kind of unit.
struct ProgramInPlan {
  // Fails the test if the plan is rejected or has no such program.
  ProgramInPlan(const PlanFile& bytes, std::string_view kind);
  ProgramInPlan(const ProgramInPlan&) = delete;

  Result<std::unique_ptr<Executable>> prepare(Unit& unit, ChannelRange channels = {}) const {
    return unit.prepare({plan, 0, program, channels});
  }

  const PlanFile file;
  std::shared_ptr<const Plan> plan;
  const plan::Program* program = nullptr;
};

class PreparedCopy {
 public:
  // Fails the test if the unit rejects the program.
  PreparedCopy(Unit& unit, const PlanFile& file);

  // Adds memory, a completion and a generation to the submission, and returns the generation.
  uint64_t submit(Submission submission = {});
  // Fails the test if the submission does not complete in time.
  Status wait();
  Status run(const Submission& submission = {}) {
    submit(submission);
    return wait();
  }

  // Changes x and clears y.
  void renew();
  bool is_right() const { return y == x; }
  bool is_unchanged() const { return y == std::vector<int8_t>(y.size(), kUnchanged); }

  Executable& executable() { return *executable_; }
  Bindings bindings();
  const Plan& plan() const { return *source_.plan; }
  const plan::Program& program() const { return *source_.program; }

  static constexpr int8_t kUnchanged = 85;
  std::vector<int8_t> x, y;
  Event completion;

 private:
  const ProgramInPlan source_;
  std::vector<std::byte*> buffers_;
  std::vector<std::byte> scratch_;
  std::unique_ptr<Executable> executable_;
};

// Checks that the executable copies a new x.
void check_runs(PreparedCopy& copy);

}  // namespace nestrt::test
